// Counters by key, for rate limits: what a key has spent in its current window. All threads share one table,
// so a limit means the same on one thread as on ten, wherever the kernel puts a connection. The number of
// slots is fixed, four to a set, chosen by a keyed hash: the table never grows and needs no timers for unused
// keys, however many addresses a stranger has.

import { randomInt } from 'node:crypto'

export type Count = {
  /** In this window, including the points just added. */
  spent: number
  /** Seconds since 1970. */
  endsAt: number
}

const WAYS = 4
const SLOT_INTS = 4
const SET_INTS = WAYS * SLOT_INTS
const HEADER_INTS = 4
const DEFAULT_SETS = 16_384
const FNV_PRIME = 0x01000193
const SECOND_SEED = 0x2545f491

/** Integers of a slot: two halves of the key, the end of its window, the points spent. */
const [KEY, KEY_TOO, ENDS_AT, SPENT] = [0, 1, 2, 3] as const

/** @param sets - a power of two; each holds four keys in 64 bytes */
export function createCountBuffer(sets = DEFAULT_SETS): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer((HEADER_INTS + sets * SET_INTS) * 4)
  new Int32Array(buffer)[0] = randomInt(1, 0x7fffffff)
  return buffer
}

/**
 * A key is a 63-bit hash; a new one takes an empty or expired slot of its set, or else the slot of
 * the key that has spent least, which then starts again. Each key's windows begin at its own
 * moment, so they do not all end together. Slots are claimed without a lock: two threads that see
 * the same new key at once may give it two slots, and one of their counts is then lost once. So
 * limits may be a little generous, but never hit the wrong key.
 */
export class CountTable {
  readonly #ints: Int32Array<SharedArrayBuffer>
  readonly #seed: number
  readonly #setMask: number
  readonly #windowSeconds: number

  constructor(buffer: SharedArrayBuffer, { windowSeconds }: { windowSeconds: number }) {
    this.#ints = new Int32Array(buffer)
    this.#seed = this.#ints[0]!
    this.#setMask = (this.#ints.length - HEADER_INTS) / SET_INTS - 1
    this.#windowSeconds = windowSeconds
  }

  /** Returns what the key has spent so far; an absent key takes no slot. */
  read(key: string, nowMs: number): Count {
    const ints = this.#ints
    const hash = hashOf(key, this.#seed)
    const other = hashOf(key, this.#seed ^ SECOND_SEED) | 1
    const now = Math.floor(nowMs / 1000)
    const slot = this.#find(hash, other, now)
    const isOurs = ints[slot + KEY] === hash && ints[slot + KEY_TOO] === other
    if (!isOurs || ints[slot + ENDS_AT]! <= now) return { spent: 0, endsAt: this.#endOf(hash, now) }
    return { spent: Atomics.load(ints, slot + SPENT), endsAt: ints[slot + ENDS_AT]! }
  }

  /** @param nowMs - milliseconds since 1970 */
  add(key: string, points: number, nowMs: number): Count {
    const ints = this.#ints
    const hash = hashOf(key, this.#seed)
    const other = hashOf(key, this.#seed ^ SECOND_SEED) | 1
    const now = Math.floor(nowMs / 1000)
    const slot = this.#find(hash, other, now)
    const isOurs = ints[slot + KEY] === hash && ints[slot + KEY_TOO] === other
    if (isOurs && ints[slot + ENDS_AT]! > now) {
      return {
        spent: Atomics.add(ints, slot + SPENT, points) + points,
        endsAt: ints[slot + ENDS_AT]!,
      }
    }
    const endsAt = this.#endOf(hash, now)
    ints[slot + KEY] = hash
    ints[slot + KEY_TOO] = other
    ints[slot + ENDS_AT] = endsAt
    Atomics.store(ints, slot + SPENT, points)
    return { spent: points, endsAt }
  }

  #endOf(hash: number, now: number): number {
    const phase = (hash >>> 0) % this.#windowSeconds
    return now + this.#windowSeconds - ((now + phase) % this.#windowSeconds)
  }

  /** Returns the key's slot, or the one it may take. */
  #find(hash: number, other: number, now: number): number {
    const ints = this.#ints
    const first = HEADER_INTS + ((other >>> 1) & this.#setMask) * SET_INTS
    let cheapest = first
    let least = Number.POSITIVE_INFINITY
    for (let slot = first; slot < first + SET_INTS; slot += SLOT_INTS) {
      if (ints[slot + KEY] === hash && ints[slot + KEY_TOO] === other) return slot
      const spent = ints[slot + ENDS_AT]! <= now ? -1 : ints[slot + SPENT]!
      if (spent < least) {
        least = spent
        cheapest = slot
      }
    }
    return cheapest
  }
}

/** FNV-1a over the characters, with a final mix. */
function hashOf(key: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), FNV_PRIME)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}
