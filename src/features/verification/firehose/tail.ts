// What an account's own server sent last before it went away. A PDS writes a commit into its stream before it has it for
// good, so one that is killed in between has sent, signed and in order, what it will never have; until the account
// writes again, nothing tells. So these accounts are compared with their server once it is back.
// docs/notes/2026-11-30-a-killed-pds.md

import { SECOND_MS } from '../../../base/util/durations.ts'
import type { RepoFrame } from './frame.ts'

export type Tail = {
  /** Of each frame that counts. @returns whether it is of the end, but came only after it */
  note(frame: RepoFrame): boolean
  /** The connection ended, and not by us. */
  end(): void
  /** A connection was opened. @returns the accounts of the last commits before the end */
  begin(): string[]
}

const TAIL_MS = 5 * SECOND_MS
/** By clocks that differ. */
const CLOCKS_MS = SECOND_MS
const MOST = 200

export function createTail(now: () => number): Tail {
  let latest: { did: string; atMs: number }[] = []
  let endedMs = Number.NEGATIVE_INFINITY

  return {
    note({ kind, did, timeUs }) {
      if (kind !== 'commit') return false
      latest.push({ did, atMs: now() })
      if (latest.length >= 2 * MOST) latest = latest.slice(-MOST)
      const madeMs = timeUs / 1000
      return madeMs > endedMs - TAIL_MS && madeMs < endedMs + CLOCKS_MS
    },
    end() {
      endedMs = now()
      latest = latest.slice(-MOST).filter(({ atMs }) => atMs > endedMs - TAIL_MS)
    },
    begin() {
      const dids = new Set(latest.map(({ did }) => did))
      latest = []
      return [...dids]
    },
  }
}
