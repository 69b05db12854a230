// The circuits of single accounts: some servers answer 500 to every read of a broken, deleted or unknown
// repository. After several failures in a row an account is left alone for a pause that doubles with each
// further one. Only failing accounts have entries.

import { backoffMs, jittered } from '../../base/util/backoff.ts'
import { LruMap } from '../../base/util/lru.ts'

type FailingAccounts = {
  waitMs(host: string, account: string): number
  noteAnswer(host: string, account: string): void
  /** @param isHostOpen - its host is failing too: the account is left alone from the first failure */
  noteFailure(host: string, account: string, isHostOpen: boolean): void
  /** The clock was set back by `byMs` milliseconds. */
  bringForward(byMs: number): void
}

type Circuit = { failures: number; until: number }

const MAX_ACCOUNTS = 20_000

export function createFailingAccounts({
  limits,
  now,
  random,
}: {
  limits: { failuresToOpen: number; firstBackoffMs: number; longestBackoffMs: number }
  now: () => number
  random: () => number
}): FailingAccounts {
  const circuits = new LruMap<string, Circuit>(MAX_ACCOUNTS)
  /** By how much the clock was set back, in all: entries are as of the clock before. */
  let backMs = 0
  const bounds = { firstMs: limits.firstBackoffMs, longestMs: limits.longestBackoffMs }
  const keyOf = (host: string, account: string) => `${host} ${account}`

  return {
    waitMs: (host, account) =>
      Math.max(0, (circuits.get(keyOf(host, account))?.until ?? 0) - now() - backMs),
    noteAnswer: (host, account) => {
      circuits.delete(keyOf(host, account))
    },
    noteFailure(host, account, isHostOpen) {
      const key = keyOf(host, account)
      const failures = (circuits.get(key)?.failures ?? 0) + 1
      const allowed = isHostOpen ? 1 : limits.failuresToOpen
      const pauseMs =
        failures < allowed
          ? 0
          : jittered(backoffMs({ ...bounds, failures: failures - allowed }), random)
      circuits.set(key, { failures, until: now() + backMs + pauseMs })
    },
    bringForward(byMs) {
      backMs += byMs
    },
  }
}
