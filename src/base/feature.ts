// Features: optional parts of the server, each one folder in src/features/, listed in src/features/features.ts.
// The core knows them only as this list, which is empty in a tree without that folder. What is here is loaded
// by every thread and by the command line, so it is plain data; the rest of a feature is loaded by the thread
// that runs it. A feature's plain data must not import what imports this module (it is awaited here).

import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import type { Setting } from './config/setting.ts'

/** The name of a value that a serving thread reports about a feature: `push.sent`. */
export type FeatureGauge = `${string}.${string}`

/** One step of a feature's tables; numbers are unique among all features and the core. */
type FeatureMigration = {
  version: number
  sql?: string
  /** Runs before `sql`, outside of its transaction, on the writer's connection. */
  run?(db: unknown): void
}

/** On whose servers readers depend, and for what. */
export type Dependency = {
  what: string
  /** Host names, or whose hosts they are if each account has its own. */
  hosts: string[]
  /** Which side sends the requests: this server, or the reader's client directly. */
  askedBy: 'server' | 'client'
  gives: string
  /** What fails without them; the Following feed loads in any case. */
  without: string
  /** The setting that names others or none; undefined if there is no choice. */
  setting: string | undefined
}

/** What a feature's settings add to these. */
type FeatureDependency = Dependency & {
  /** Events come from there: the list begins with these. */
  isSource?: boolean
  /** Origins that answer anybody: they tell the doctor the time, and whether there is a network at all. */
  origins?: readonly string[]
}

/** What a feature keeps of a member that moves with the member's document: JSON, in terms that mean the same everywhere. */
export type MemberPart = {
  /** @returns undefined if there is nothing */
  read(db: unknown, uid: number): unknown
  isValid(part: unknown): boolean
  /**
   * Replaces what is there.
   * @param uidOf - an account's number; it gets one if it has none
   */
  write(db: unknown, uid: number, part: never, uidOf: (did: string) => number): void
  /** Its members' requests that nodes of a cluster pass on. Each changes one thing wholly. */
  shared?: SharedRequests
}

type SharedRequests = {
  /** By kind: what a request is about. Of two about the same, only the later one counts. */
  keys: Readonly<Record<`${string}/${string}`, (body: never) => string>>
  /** A part as the requests that would make it. */
  requestsOf(part: never): { kind: `${string}/${string}`; body: unknown; madeAt?: number }[]
}

export type Feature = {
  name: string
  settings?: Readonly<Record<string, Setting<unknown>>>
  /** @returns which of the settings contradict each other, and what to do; undefined if none do */
  unfit?(settings: never): { message: string; hint: string } | undefined
  /**
   * Looks, before anything starts, at what its settings name.
   * @throws ConfigError if the server can't run so
   */
  prepare?(config: never): Promise<void>
  migrations?: readonly FeatureMigration[]
  /** All its tables, by which a database from before this list is recognized. */
  tables?: readonly string[]
  /** Those among its tables of which a member's rows (by `uid`) go with the membership. */
  memberTables?: readonly string[]
  /** The same for tables whose rows name the member by `did`. */
  memberTablesByDid?: readonly string[]
  /** The same for tables of which no row from before a membership may stay, either. */
  membershipTables?: readonly string[]
  /** Its part of members' documents (docs/MEMBER-STATE.md), under its name. */
  memberPart?: MemberPart
  /** Columns of its tables with the time of arrival of what is numbered by arrival, in milliseconds. */
  arrivals?: readonly { table: string; at: string }[]
  /** Its files in the data folder; `NAME.new` and the like are its own, too. */
  dataFiles?: readonly string[]
  gauges?: readonly FeatureGauge[]
  /** Other parties’ servers that it asks with these settings, for `slipstream doctor --independence`. */
  dependencies?(config: never): readonly FeatureDependency[]
  /** Names under which its routes are counted (base/obs/request-counters.ts). */
  webRoutes?: readonly string[]
  /** What it says before rows are changed: data/feature.ts. */
  rows?(): Promise<unknown>
  /** Its part in the ingest thread: ingest/feature.ts. */
  ingest?(): Promise<unknown>
  /** Its part in serving threads: http/feature.ts. */
  serve?(): Promise<unknown>
  /** Its part in the command line: tools/feature.ts. */
  tools?(): Promise<unknown>
}

const FOLDER = new URL('../features/', import.meta.url)

export const features: readonly Feature[] = await listed()

/** The parts of all features for one kind of thread. Their types are checked where they are listed (features/features.ts). */
export async function loadParts<Part>(
  kind: 'rows' | 'ingest' | 'serve' | 'tools',
): Promise<readonly Part[]> {
  const parts = await Promise.all(features.map((feature) => feature[kind]?.()))
  return parts.filter((part) => part !== undefined) as unknown as readonly Part[]
}

async function listed(): Promise<readonly Feature[]> {
  // In the package, this file and the list are JavaScript.
  const list = new URL(`features${extname(import.meta.url)}`, FOLDER)
  if (!existsSync(list)) return []
  return ((await import(list.href)) as { features: readonly Feature[] }).features
}
