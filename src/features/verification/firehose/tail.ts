// What an account's own server sent last before it went away. A PDS writes a commit into its stream before it has it for
// good, so one that is killed in between has sent, signed and in order, what it will never have; until the account
// writes again, nothing tells. So these accounts are compared with their server once it is back.
// docs/notes/2026-11-30-a-killed-pds.md

import type { StreamCursor } from '@slipstream/jetstream'
import { SECOND_MS } from '../../../base/util/durations.ts'
import type { RepoFrame } from './frame.ts'
import { committerAt } from './numbering.ts'

export type Tail = {
  /** Of each frame that counts. @returns whether it was made before the end, or our start, but came only after it */
  note(host: string, frame: RepoFrame): boolean
  /** The connection ended, and not by us; one that was never opened changes nothing. */
  end(host: string): void
  /** A connection was opened. @returns the accounts of the last commits before the end */
  begin(host: string): string[]
}

const TAIL_MS = 5 * SECOND_MS
/** By clocks that differ. */
const CLOCKS_MS = SECOND_MS
const MOST = 200

type TailOptions = {
  /** Whether the host is this account's own server, and the account is to be compared. */
  isAtHome: (did: string, host: string) => boolean
  /** Where this process goes on: the last event may be one of a server that ended when we did. */
  cursors: readonly StreamCursor[]
  now: () => number
}

export function createTail({ isAtHome, cursors, now }: TailOptions): Tail {
  let latest = cursors.flatMap((cursor) => {
    const did = committerAt(cursor)
    return did === undefined ? [] : { host: cursor.host, did, atMs: now() }
  })
  const endedMs = new Map<string, number>()
  /** When we went on with each: what was made before may be from an end that we did not see. */
  const resumedMs = new Map<string, number>()
  const open = new Set<string>()

  return {
    note(host, { kind, did, timeUs }) {
      if (kind !== 'commit') return false
      latest.push({ host, did, atMs: now() })
      if (latest.length >= 2 * MOST) latest = latest.slice(-MOST)
      const madeMs = timeUs / 1000
      const sinceEndMs = madeMs - (endedMs.get(host) ?? Number.POSITIVE_INFINITY)
      const isOfTail = sinceEndMs > -TAIL_MS && sinceEndMs < CLOCKS_MS
      return (isOfTail || madeMs < (resumedMs.get(host) ?? 0)) && isAtHome(did, host)
    },
    end(host) {
      if (!open.delete(host)) return
      const atMs = now()
      endedMs.set(host, atMs)
      latest = latest.slice(-MOST).filter((one) => one.atMs > atMs - TAIL_MS)
    },
    begin(host) {
      open.add(host)
      const isFirst = !resumedMs.has(host) && cursors.some((cursor) => cursor.host === host)
      if (isFirst) resumedMs.set(host, now())
      const dids = latest.flatMap((one) => (one.host === host ? one.did : []))
      latest = latest.filter((one) => one.host !== host)
      return [...new Set(dids)].filter((did) => isAtHome(did, host))
    },
  }
}
