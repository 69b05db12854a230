// Costs of a run for the machine and for other servers: memory, disk, jobs, calls to strangers. Sampled
// during the run, since peaks are over when everything is quiet, and compared with the limits in the
// documents.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Difference } from './checking.ts'
import type { FaultKind } from './plan.ts'
import type { StrangerCalls } from './strangers.ts'
import type { Subject } from './subject.ts'

export type Costs = StrangerCalls & {
  /** Peak memory of the process; 0 where it can't be read (not Linux). */
  rssMb: number
  /** Peak memory of its child processes, together. */
  childrenMb: number
  /**
   * The database and everything else in the data folder, except the database's log, which has its
   * own limit and starts anew, and the snapshot of For You, which is as large as its memory.
   */
  diskMb: number
  logMb: number
  /** Most jobs waiting at one time. */
  jobs: number
}

export type CostMeter = { stop(calls: StrangerCalls): Costs }

/** Limits for a network of a hundred accounts. */
const MOST = { rssMb: 700, childrenMb: 520, diskMb: 80, logMb: 200, jobs: 20_000 }
/** Calls to strangers that each of these faults may cause; the others may cause none. */
const ALLOWED: Partial<Record<FaultKind, Partial<StrangerCalls>>> = {
  'labeler-huge': { lookups: 20, requests: 40, labeler: 40 },
  'labeler-flood': { lookups: 20, requests: 40, labeler: 40 },
  'labeler-odd': { lookups: 20, requests: 40, labeler: 40 },
  'stranger-newcomers': { lookups: 1_500, requests: 6_000 },
  'stranger-tokens': { lookups: 1_350, requests: 50, silent: 100 },
  'stranger-records': { lookups: 2_000, requests: 1_000 },
  'stranger-media': { lookups: 50, requests: 150 },
  'stranger-feeds': { lookups: 900, requests: 300 },
  'stranger-documents': { lookups: 150, requests: 100 },
}
const DATABASE = 'slipstream.sqlite'
const FOR_YOU = 'for-you.snapshot'
const EVERY_MS = 250

export function meterCosts(subject: Subject): CostMeter {
  const most = { rssMb: 0, childrenMb: 0, diskMb: 0, logMb: 0, jobs: 0 }
  const look = () => {
    const now = { ...memoryOf(subject.processId()), ...storedBy(subject) }
    for (const name of keysOf(most)) most[name] = Math.max(most[name], now[name])
  }
  const timer = setInterval(look, EVERY_MS)
  return {
    stop: (calls) => {
      clearInterval(timer)
      look()
      return { ...most, ...calls }
    },
  }
}

/** @param struck - how often each fault struck */
export function findExcess(costs: Costs, struck: Partial<Record<FaultKind, number>>): Difference[] {
  const calls = { lookups: 0, requests: 0, silent: 0, labeler: 0 }
  for (const [kind, times] of Object.entries(struck)) {
    const allowed = ALLOWED[kind as FaultKind] ?? {}
    for (const name of keysOf(calls)) calls[name] += times * (allowed[name] ?? 0)
  }
  // If the missed events can't be replayed, every account is read and resolved again.
  const rounds = 1 + 2 * (struck['window-lost'] ?? 0)
  calls.lookups *= rounds
  calls.requests *= rounds
  const allowed: Costs = { ...MOST, ...calls }
  return keysOf(allowed)
    .filter((name) => costs[name] > allowed[name])
    .map((name) => {
      const expected = `at most ${allowed[name]}`
      return { what: `cost: ${name}`, viewer: '', about: name, expected, got: costs[name] }
    })
}

function storedBy(subject: Subject): { diskMb: number; logMb: number; jobs: number } {
  try {
    const { bytes, jobs } = subject.stored()
    const others = sizeOf(subject.dataDir, isOther)
    const log = sizeOf(subject.dataDir, (name) => name === `${DATABASE}-wal`)
    return { diskMb: megabytes(bytes + others), logMb: megabytes(log), jobs }
  } catch {
    // The database does not exist yet, or a file was just removed.
    return { diskMb: 0, logMb: 0, jobs: 0 }
  }
}

const isOther = (name: string) => !name.startsWith(DATABASE) && !name.startsWith(FOR_YOU)

function sizeOf(folder: string, isCounted: (name: string) => boolean): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && isCounted(entry.name))
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

function memoryOf(pid: number | undefined): { rssMb: number; childrenMb: number } {
  if (pid === undefined) return { rssMb: 0, childrenMb: 0 }
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)
  const childrenMb = children.reduce((sum, child) => sum + statusOf(child, 'VmRSS'), 0)
  return { rssMb: statusOf(String(pid), 'VmHWM'), childrenMb }
}

function statusOf(pid: string, field: 'VmHWM' | 'VmRSS'): number {
  const line = read(`/proc/${pid}/status`)
    .split('\n')
    .find((value) => value.startsWith(field))
  return Math.round(Number(line?.split(/\s+/)[1] ?? 0) / 1024)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / (1 << 20))
}

function keysOf<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[]
}
