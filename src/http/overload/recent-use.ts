// How long each caller has recently held the thread: a leaky bucket per caller, which drains by a fifth of the time
// that passes. Members who read a screen at a time stay below the mark; whoever is above it waits behind the others.

import { LruMap } from '../../base/util/lru.ts'

type Use = { ms: number; atMs: number }

const MAX_CALLERS = 8_192
const DRAINED_A_MS = 0.2
const HIGH_MS = 20
/** Calls as short as a usual page drain faster than most callers ask: not worth an entry. */
const MIN_MS = 1

export class RecentUse {
  readonly #callers = new LruMap<string, Use>(MAX_CALLERS)

  add(key: string, ms: number, nowMs: number): void {
    if (ms < MIN_MS) return
    this.#callers.set(key, { ms: this.#left(key, nowMs) + ms, atMs: nowMs })
  }

  isHigh(key: string, nowMs: number): boolean {
    return this.#left(key, nowMs) > HIGH_MS
  }

  #left(key: string, nowMs: number): number {
    const use = this.#callers.get(key)
    return use ? Math.max(use.ms - (nowMs - use.atMs) * DRAINED_A_MS, 0) : 0
  }
}
