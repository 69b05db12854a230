// Orders jobs by recent cost: the account and server that recently used the least time go first. So an account
// whose pictures take seconds each waits for all others, and the others wait for one of its jobs at most: the
// one that is running.

import { LruMap } from '../../../base/util/lru.ts'

/** What a job is charged to, such as an account and its server. */
export type Payers = readonly string[]

type JobQueue<T> = {
  /** Returns false if the queue is full. */
  add(item: T, payers: Payers): boolean
  take(): { item: T; payers: Payers } | undefined
  charge(payers: Payers, milliseconds: number): void
}

const MAX_PAYERS = 5000
/** After this time, used time counts half. */
const HALF_LIFE_MS = 30_000

export function createJobQueue<T>(options: { maxWaiting: number; now: () => number }): JobQueue<T> {
  const { maxWaiting, now } = options
  const waiting: { item: T; payers: Payers }[] = []
  const used = new LruMap<string, { milliseconds: number; at: number }>(MAX_PAYERS)

  function usedBy(payer: string): number {
    const found = used.get(payer)
    return found ? found.milliseconds * 0.5 ** ((now() - found.at) / HALF_LIFE_MS) : 0
  }

  const costOf = (payers: Payers) => payers.reduce((sum, payer) => sum + usedBy(payer), 0)

  return {
    add(item, payers) {
      if (waiting.length >= maxWaiting) return false
      waiting.push({ item, payers })
      return true
    },
    take() {
      const costs = waiting.map(({ payers }) => costOf(payers))
      const cheapest = costs.indexOf(Math.min(...costs))
      return waiting.splice(cheapest === -1 ? 0 : cheapest, 1)[0]
    },
    charge(payers, milliseconds) {
      for (const payer of payers) {
        used.set(payer, { milliseconds: usedBy(payer) + milliseconds, at: now() })
      }
    },
  }
}
