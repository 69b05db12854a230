// What a feature does in the ingest thread: it answers requests of its own part in the serving threads, hears
// what was written, and works in the background.

import type { Consumer, StreamBatch } from '@slipstream/jetstream'
import type { Config } from '../base/config/config.ts'
import { loadParts } from '../base/feature.ts'
import type { FeatureKind, FeatureRequest, PrivateAct } from '../bridge/messages.ts'
import type { RepoMirrors } from './backfill/mirrors.ts'
import type { BeginsStream } from './begin-stream.ts'
import type { Core, StoredAboutAll } from './core.ts'
import type { IndexContext } from './indexing/index-context.ts'
import type { MemoryChange } from './indexing/memory/memory-changes.ts'

type Handler<Body> = (ctx: IndexContext, did: string, body: Body, means: HandlerMeans) => unknown

type HandlerMeans = {
  /** Does what the member asked of another server, which accepted it: it can't be refused any more. */
  accepted(act: PrivateAct | FeatureRequest): void
}
type Call<Body> = (did: string, body: Body) => unknown

export type RequestHandlers = Readonly<Record<FeatureKind, Handler<never>>>

/** @param handlers - one for each kind of request in `Requests`, which maps kinds to bodies */
export function requestHandlers<Requests extends object>(
  handlers: {
    readonly [Kind in keyof Requests]: Handler<Requests[Kind]>
  },
): RequestHandlers {
  return handlers
}

type Operation<Body> = (ctx: IndexContext, body: Body) => Record<string, number>

export type Operations = Readonly<Record<FeatureKind, Operation<never>>>

/** The same for the operator's requests, which are answered with figures. */
export function operations<Requests extends object>(
  all: {
    readonly [Kind in keyof Requests]: Operation<Requests[Kind]>
  },
): Operations {
  return all
}

export type IngestCalls = Readonly<Record<FeatureKind, Call<never>>>

/** The same for requests that begin no transaction of their own. */
export function ingestCalls<Requests extends object>(
  calls: {
    readonly [Kind in keyof Requests]: Call<Requests[Kind]>
  },
): IngestCalls {
  return calls
}

export type IngestFeature = BeginsStream & {
  /** Each runs in one transaction of the writer; what it returns or throws is the reply. */
  requests?: RequestHandlers
  /** The same for requests of the operator. */
  operations?: Operations
  /** What it needs about all accounts. */
  aboutAll?(config: Config): StoredAboutAll
  /** Called once, before the stream starts. */
  start?(config: Config, core: Core): IngestPart
}

type IngestPart = {
  /** Requests for which it decides itself what to write, and when. */
  calls?: IngestCalls
  /**
   * Brings the events where no Jetstream host is named.
   * @param apply - writes a batch
   */
  mainStream?(apply: (batch: StreamBatch) => Promise<void>): Consumer
  /** Whether a seat for a new member is counted elsewhere, not by this node's rows. */
  countsSeats?: boolean
  /** Read while an account's own server is away. */
  mirrors?: RepoMirrors | undefined
  /** Before a batch is written, which waits for it. @returns what is written in its place */
  beforeBatch?(batch: StreamBatch): StreamBatch | Promise<StreamBatch>
  /** After each batch of the stream is written and visible. */
  onBatch?(batch: StreamBatch): void
  /** After each transaction that changed memory, also those beside the stream. */
  onPublished?(changes: readonly MemoryChange[]): void
  /** Memory that its serving parts read, by the feature's name. */
  memory?: Readonly<Record<string, SharedArrayBuffer>>
  /** Resolves once its work has ended; the database closes afterwards. */
  stop?(): void | Promise<void>
}

export function loadIngestFeatures(): Promise<readonly IngestFeature[]> {
  return loadParts('ingest')
}

/** Handlers of all of them; the kinds of each begin with its name. */
export function handlersOf(list: readonly IngestFeature[]): RequestHandlers {
  return Object.assign({}, ...list.map(({ requests }) => requests))
}

export function operationsOf(list: readonly IngestFeature[]): Operations {
  return Object.assign({}, ...list.map(({ operations }) => operations))
}

/** What any of them needs. */
export function aboutAllOf(list: readonly IngestFeature[], config: Config): StoredAboutAll {
  const needed = list.map((ingestFeature) => ingestFeature.aboutAll?.(config) ?? {})
  return {
    notificationDays: Math.max(0, ...needed.map(({ notificationDays = 0 }) => notificationDays)),
    revs: needed.some(({ revs }) => revs),
  }
}

export function callsOf(parts: readonly IngestPart[]): IngestCalls {
  return Object.assign({}, ...parts.map(({ calls }) => calls))
}

/** The first that brings the events instead of Jetstream; undefined: none does. */
export function mainStreamOf(parts: readonly IngestPart[]): IngestPart['mainStream'] {
  return parts.find(({ mainStream }) => mainStream)?.mainStream
}

/** The first feature's that has any. */
export function mirrorsOf(parts: readonly IngestPart[]): RepoMirrors | undefined {
  return parts.find(({ mirrors }) => mirrors)?.mirrors
}
