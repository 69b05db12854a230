// What each of many may use up in a window, and all together: nobody more than a quarter of what all have left,
// so that whoever comes in the middle of a flood still has something. Counted in a table that threads share.

import { CountTable } from './count-table.ts'

export type SharedBudget = {
  left(key: string, nowMs: number): number
  spend(key: string, amount: number, nowMs: number): void
}

export const PART = 1 / 4

export function createSharedBudget(options: {
  /** As createCountBuffer makes it; for this budget alone. */
  buffer: SharedArrayBuffer
  windowSeconds: number
  each: number
  all: number
}): SharedBudget {
  const { buffer, windowSeconds, each, all } = options
  const counts = new CountTable(buffer, { windowSeconds })
  const ofOne = (key: string) => `one ${key}`
  return {
    left(key, nowMs) {
      const spent = counts.read(ofOne(key), nowMs).spent
      const leftOfAll = all - counts.read('all', nowMs).spent
      // So much that what this one has is then a quarter of what is left.
      const share = Math.ceil((leftOfAll * PART - spent) / (1 + PART))
      return Math.max(0, Math.min(each - spent, leftOfAll, share))
    },
    spend(key, amount, nowMs) {
      if (amount === 0) return
      counts.add(ofOne(key), amount, nowMs)
      counts.add('all', amount, nowMs)
    },
  }
}
