// How the one writer tells any number of reading threads what it touched, without locks: a ring of invalidations,
// three integers each (invalidation-kinds.ts), in memory that all share. A reader has a position of its own, and
// takes what is new there before it uses anything that it kept. The writer never waits for a reader: one that is too
// far behind is told that invalidations were lost, and forgets everything.

import { assert } from '../../base/util/assert.ts'
import { INVALIDATION } from './invalidation-kinds.ts'
import {
  copyInvalidation,
  firstAt,
  INVALIDATION_WORDS,
  kindAt,
  secondAt,
  writeInvalidation,
} from './invalidation-words.ts'
import { beginCommit, beginPublishing, endCommit, endPublishing } from './publishing.ts'

const HEAD = 0
const LAP = 1
/** Head and lap have a cache line of their own. */
const HEADER = 16
const WIDTH = INVALIDATION_WORDS
const RING = 1 << 18
const RING_MASK = RING - 1
const MAX_BEHIND = RING / 2
const LAP_SHIFT = 30
const COPIED_AT_ONCE = 1024

/** How many invalidations can be published together. */
export const MAX_INVALIDATIONS_AT_ONCE = RING / 8

/** One of INVALIDATION, and what it names; 0 where it names less than two. */
export type Invalidation = (kind: number, a: number, b: number) => void

/**
 * The head counts all invalidations ever added, and is stored after the invalidations themselves. Too far behind is
 * half the ring, while the writer adds no more than an eighth at once before it moves the head. So a place that a
 * reader copies is overwritten only if the head has moved more than that by the time it looks again, and stores or
 * loads which the processor moves about (see change-log.ts) can't reach over the rest.
 *
 * The head wraps after 2^32 invalidations. A reader that slept exactly that long is not fooled, since the lap, which
 * goes up every 2^30 invalidations, has changed meanwhile.
 */
export class InvalidationWriter {
  /** To be given to readers. */
  readonly buffer: SharedArrayBuffer
  readonly #ints: Int32Array<SharedArrayBuffer>
  #head: number

  /** @param head - how many invalidations it counts as added already. */
  constructor(head: number = 0) {
    this.buffer = new SharedArrayBuffer((HEADER + RING * WIDTH) * 4)
    this.#ints = new Int32Array(this.buffer)
    this.#head = head | 0
    this.#ints[HEAD] = this.#head
  }

  /** Before each commit (publishing.ts). */
  beginCommit(): void {
    beginCommit(this.#ints)
  }

  /** Once its invalidations are added. */
  endCommit(): void {
    endCommit(this.#ints)
  }

  /** Before a commit whose changes go to memory, too (publishing.ts). */
  beginPublishing(): void {
    beginPublishing(this.#ints)
  }

  /** Once they are there. */
  endPublishing(): void {
    endPublishing(this.#ints)
  }

  /** One invalidation, visible at once. */
  add(kind: number, a: number, b: number): void {
    writeInvalidation(this.#ints, placeOf(this.#head), kind, a, b)
    this.#moveHead(1)
  }

  /** The first `count` of them (invalidation-words.ts), visible together. */
  publish(invalidations: Int32Array, count: number): void {
    assert(count <= MAX_INVALIDATIONS_AT_ONCE, `${count} notes at once`)
    for (let i = 0; i < count; i++) {
      const to = { words: this.#ints, at: placeOf(this.#head + i) }
      copyInvalidation(invalidations, i * WIDTH, to)
    }
    if (count > 0) this.#moveHead(count)
  }

  #moveHead(count: number): void {
    const before = this.#head
    this.#head = (before + count) | 0
    // The lap first: who sees the head beyond it sees that the lap has changed.
    if (this.#head >> LAP_SHIFT !== before >> LAP_SHIFT) Atomics.add(this.#ints, LAP, 1)
    Atomics.store(this.#ints, HEAD, this.#head)
    Atomics.notify(this.#ints, HEAD)
  }
}

function placeOf(number: number): number {
  return HEADER + (number & RING_MASK) * WIDTH
}

/** Where the ring stands, for `headMoved`. */
export function ringHead(buffer: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(buffer), HEAD)
}

/** Resolves once the ring stands elsewhere, without a thread being stopped for it. */
export async function headMoved(buffer: SharedArrayBuffer, head: number): Promise<void> {
  const waiting = Atomics.waitAsync(new Int32Array(buffer), HEAD, head)
  await waiting.value
}

/**
 * Why nothing kept can be stale: the writer adds its invalidations after its commit. A reader takes invalidations
 * first and reads rows afterwards, in one stretch without waiting. A change that its rows did not show was committed
 * later than they were read, so its invalidation is one that the reader has not taken yet, and will before it next
 * uses what it kept.
 *
 * Begins at the head: a new reader has kept nothing yet.
 */
export class InvalidationReader {
  readonly #ints: Int32Array<SharedArrayBuffer>
  readonly #fence = new Int32Array(new SharedArrayBuffer(4))
  readonly #copy = new Int32Array(COPIED_AT_ONCE * WIDTH)
  #position: number
  #lap: number

  constructor(buffer: SharedArrayBuffer) {
    this.#ints = new Int32Array(buffer)
    this.#lap = Atomics.load(this.#ints, LAP)
    this.#position = Atomics.load(this.#ints, HEAD)
  }

  /**
   * Hands over every invalidation since the last call. Invalidations may come more than once and none is a promise
   * that something did change.
   * @returns false where invalidations were lost, also while taking them: forget everything.
   */
  take(each: Invalidation): boolean {
    const head = Atomics.load(this.#ints, HEAD)
    if (Atomics.load(this.#ints, LAP) !== this.#lap) return this.#skipAll()
    while (this.#position !== head) {
      const count = Math.min((head - this.#position) >>> 0, COPIED_AT_ONCE)
      this.#copyOut(count)
      if ((this.#headAfterLoads() - this.#position) >>> 0 > MAX_BEHIND) return this.#skipAll()
      this.#position = (this.#position + count) | 0
      if (!this.#handOver(count, each)) return this.#skipAll()
    }
    return true
  }

  #copyOut(count: number): void {
    const ints = this.#ints
    const copy = this.#copy
    for (let i = 0; i < count; i++) {
      copyInvalidation(ints, placeOf(this.#position + i), { words: copy, at: i * WIDTH })
    }
  }

  /** @returns false at an invalidation of everything. */
  #handOver(count: number, each: Invalidation): boolean {
    const copy = this.#copy
    for (let i = 0; i < count; i++) {
      const kind = kindAt(copy, i * WIDTH)
      if (kind === INVALIDATION.everything) return false
      each(kind, firstAt(copy, i * WIDTH), secondAt(copy, i * WIDTH))
    }
    return true
  }

  #skipAll(): false {
    this.#lap = Atomics.load(this.#ints, LAP)
    this.#position = Atomics.load(this.#ints, HEAD)
    return false
  }

  #headAfterLoads(): number {
    if (process.arch !== 'x64') Atomics.store(this.#fence, 0, 0)
    return Atomics.load(this.#ints, HEAD)
  }
}
