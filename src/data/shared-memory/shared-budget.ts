// A budget per key and one for all keys together, per window. No key may use more than a quarter of what all
// have left, so that a key that arrives in the middle of a flood still gets a share. Counted in a table that
// threads share.

import { CountTable } from './count-table.ts'

export type SharedBudget = {
  left(key: string, nowMs: number): number
  spend(key: string, amount: number, nowMs: number): void
}

export const PART = 1 / 4

export function createSharedBudget(options: {
  /** From createCountBuffer; for this budget alone. */
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
      // After spending this much, the key has used a quarter of the remainder.
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
