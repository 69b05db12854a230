// How the backup stands: a small file in the data folder, written by whoever ships, read by the server's metrics
// and report, by the doctor and by the command line, whether a server runs or not.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Times are milliseconds of our clock. */
export type OffSiteStatus = {
  url: string
  /** Names the data folder. */
  server: string
  run: string
  startedAt: number
  /** Of members' private state that is stored. */
  privateAt?: number
  /** Of the database's state that can be restored; absent until the run's first base is stored. */
  stateAt?: number
  /** The last base. */
  base?: { at: number; bytes: number; sent: number; tookMs: number }
  /** Of a base that is being sent. */
  progress?: { done: number; total: number }
  filesAt?: number
  trial?: { at: number; ok: boolean; text: string; tookMs: number }
  /** What the store has of this backup. */
  stored?: { chunks: number; bytes: number }
  /** Sent by this run. */
  sentBytes: number
  /** The last failure, unless the same has succeeded since. */
  problem?: { at: number; message: string; hint: string }
  failures: number
}

export const FOLDER = 'off-site'

/** @returns undefined if nothing was ever sent from this folder */
export function readStatus(dataDir: string): OffSiteStatus | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, FOLDER, 'status.json'), 'utf8')) as OffSiteStatus
  } catch {
    return undefined
  }
}

export type StatusFile = {
  readonly now: OffSiteStatus
  set(change: Partial<OffSiteStatus>): void
  /** Removes what is no longer so. */
  drop(key: 'progress' | 'problem'): void
}

/** Keeps what an earlier run said of the state, the base and the trial. */
export function openStatus(
  dataDir: string,
  begun: { url: string; run: string; at: number },
): StatusFile {
  mkdirSync(join(dataDir, FOLDER), { recursive: true, mode: 0o700 })
  const before = readStatus(dataDir)
  const { progress: _, ...stored } = before?.url === begun.url ? before : {}
  let now: OffSiteStatus = {
    ...stored,
    url: begun.url,
    server: before?.server ?? randomBytes(8).toString('hex'),
    run: begun.run,
    startedAt: begun.at,
    sentBytes: 0,
    failures: 0,
  }

  function write(): void {
    const path = join(dataDir, FOLDER, 'status.json')
    try {
      writeFileSync(`${path}.new`, JSON.stringify(now, null, 1), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    } catch {
      // On a full disk the file says what was so before; the backup itself goes on.
    }
  }

  write()
  return {
    get now() {
      return now
    },
    set(change) {
      now = { ...now, ...change }
      write()
    },
    drop(key) {
      const { [key]: _dropped, ...rest } = now
      now = rest as OffSiteStatus
      write()
    },
  }
}
