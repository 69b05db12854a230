// Keys that count once until a time, such as tokens. All threads share one table of fixed size, so the second
// use is recognised on whichever thread it arrives. A slot is one integer of 64 bits, a mark of the key and its
// end, so it is claimed whole and without a lock.

import { hash } from 'node:crypto'

const WAYS = 8
const DEFAULT_SETS = 16_384
const BYTES = 8
const SECONDS_BITS = 32n
const SECONDS_MASK = (1n << SECONDS_BITS) - 1n
const MAX_ATTEMPTS = 8

/** `held`: what the slot held when it was looked at. */
type Slot = { slot: number; held: bigint }

/** @param sets - a power of two; each holds eight keys in 64 bytes */
export function createOnceBuffer(sets = DEFAULT_SETS): SharedArrayBuffer {
  return new SharedArrayBuffer(sets * WAYS * BYTES)
}

/**
 * In a full set, a key replaces the one with the latest end, and is not taken itself if there is
 * none later: so keys that last long, of which one caller could have many, never displace those
 * that end soon.
 */
export class OnceTable {
  readonly #slots: BigInt64Array<SharedArrayBuffer>
  readonly #setMask: number

  constructor(buffer: SharedArrayBuffer) {
    this.#slots = new BigInt64Array(buffer)
    this.#setMask = this.#slots.length / WAYS - 1
  }

  /**
   * @param untilMs - the key is remembered until then; milliseconds since 1970, as `nowMs`
   * @returns whether this is the key's first use. A key for which no slot is free counts as used.
   */
  use(key: string, untilMs: number, nowMs: number): boolean {
    const digest = hash('sha256', key, 'buffer')
    const first = (digest.readUInt32LE(4) & this.#setMask) * WAYS
    const until = BigInt(Math.ceil(untilMs / 1000)) & SECONDS_MASK
    const now = BigInt(Math.floor(nowMs / 1000))
    const entry = (BigInt(digest.readInt32LE(0)) << SECONDS_BITS) | until
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (this.#count(first, entry, now) > 0) return false
      const free = this.#freeSlot(first, until, now)
      if (!free) return false
      const { slot, held } = free
      if (Atomics.compareExchange(this.#slots, slot, held, entry) !== held) continue
      // Another thread may have put the same key into another slot just now.
      return this.#count(first, entry, now) === 1
    }
    return false
  }

  /** Slots of the set that hold the key of `entry`. */
  #count(first: number, entry: bigint, now: bigint): number {
    let count = 0
    for (let slot = first; slot < first + WAYS; slot++) {
      const held = Atomics.load(this.#slots, slot)
      if (held >> SECONDS_BITS === entry >> SECONDS_BITS && endOf(held) >= now) count++
    }
    return count
  }

  /** An empty or ended slot, or else the one that ends last, if that is after `until`. */
  #freeSlot(first: number, until: bigint, now: bigint): Slot | undefined {
    let found: Slot | undefined
    let latest = until
    for (let slot = first; slot < first + WAYS; slot++) {
      const held = Atomics.load(this.#slots, slot)
      const end = endOf(held)
      if (end < now) return { slot, held }
      if (end <= latest) continue
      latest = end
      found = { slot, held }
    }
    return found
  }
}

/** Seconds since 1970; 0 for an empty slot. */
function endOf(entry: bigint): bigint {
  return entry & SECONDS_MASK
}
