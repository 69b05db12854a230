// How the one writer tells any number of reading threads which rows it touched, without locks: a ring of
// invalidations, three integers each (invalidation-kinds.ts), in shared memory. Each reader has its own
// position, and takes the new entries there before it uses anything cached. The writer never waits for a
// reader: one that falls too far behind learns that invalidations were lost, and drops its whole cache.

import { assert } from '../../base/util/assert.ts'
import { INVALIDATION } from './invalidation-kinds.ts'

// The memory layout of an invalidation: three 32-bit words.
//
//   0  the kind in 8 bits, the upper 8 bits of the first id, then those of the second
//   1  low 32 bits of the first
//   2  low 32 bits of the second

export const INVALIDATION_WORDS = 3

type Words = Int32Array

/** `a` and `b` are ids of rows or accounts, below 2^40. */
export function writeInvalidation(
  words: Words,
  at: number,
  kind: number,
  a: number,
  b: number,
): void {
  words[at] = kind | (Math.floor(a / 2 ** 32) << 8) | (Math.floor(b / 2 ** 32) << 16)
  words[at + 1] = a | 0
  words[at + 2] = b | 0
}

function copyInvalidation(from: Words, at: number, to: { words: Words; at: number }): void {
  const { words } = to
  words[to.at] = from[at]!
  words[to.at + 1] = from[at + 1]!
  words[to.at + 2] = from[at + 2]!
}

function kindAt(words: Words, at: number): number {
  return words[at]! & 255
}

/** The first id that it names. */
function firstAt(words: Words, at: number): number {
  return ((words[at]! >>> 8) & 255) * 2 ** 32 + (words[at + 1]! >>> 0)
}

function secondAt(words: Words, at: number): number {
  return ((words[at]! >>> 16) & 255) * 2 ** 32 + (words[at + 2]! >>> 0)
}

const HEAD = 0
const LAP = 1
/** Head and lap share a cache line of their own. */
const HEADER = 16
const WIDTH = INVALIDATION_WORDS
const RING = 1 << 18
const RING_MASK = RING - 1
const MAX_BEHIND = RING / 2
const LAP_SHIFT = 30
const COPIED_AT_ONCE = 1024

/** Maximum number of invalidations in one publish. */
export const MAX_INVALIDATIONS_AT_ONCE = RING / 8

/** One of INVALIDATION, and the rows it names; 0 for each of the two that is unused. */
export type Invalidation = (kind: number, a: number, b: number) => void

/**
 * The head counts all invalidations ever added, and is stored after the invalidations themselves.
 * Too far behind is half the ring, while the writer adds no more than an eighth at once before it
 * moves the head. So a place that a reader copies is overwritten only if the head has moved more
 * than that by the time it looks again, and stores or loads that the processor reorders (see
 * change-log.ts) can't reach over the rest.
 *
 * The head wraps after 2^32 invalidations. A reader that slept exactly that long is not fooled,
 * since the lap, which goes up every 2^30 invalidations, has changed meanwhile.
 */
export class InvalidationWriter {
  /** Shared with the readers. */
  readonly buffer: SharedArrayBuffer
  readonly #ints: Int32Array<SharedArrayBuffer>
  #head: number

  /** @param head - number of invalidations it counts as already added */
  constructor(head: number = 0) {
    this.buffer = new SharedArrayBuffer((HEADER + RING * WIDTH) * 4)
    this.#ints = new Int32Array(this.buffer)
    this.#head = head | 0
    this.#ints[HEAD] = this.#head
  }

  /** Called before each commit. */
  beginCommit(): void {
    beginCommit(this.#ints)
  }

  /** Called once the invalidations of the commit are added. */
  endCommit(): void {
    endCommit(this.#ints)
  }

  /** Called before a commit whose changes also go to memory. */
  beginPublishing(): void {
    beginPublishing(this.#ints)
  }

  /** Called once they are in memory. */
  endPublishing(): void {
    endPublishing(this.#ints)
  }

  /** Adds one invalidation, visible at once. */
  add(kind: number, a: number, b: number): void {
    writeInvalidation(this.#ints, slotOf(this.#head), kind, a, b)
    this.#moveHead(1)
  }

  /**
   * Adds the first `count` invalidations, which become visible together.
   */
  publish(invalidations: Int32Array, count: number): void {
    assert(count <= MAX_INVALIDATIONS_AT_ONCE, `${count} notes at once`)
    for (let i = 0; i < count; i++) {
      const to = { words: this.#ints, at: slotOf(this.#head + i) }
      copyInvalidation(invalidations, i * WIDTH, to)
    }
    if (count > 0) this.#moveHead(count)
  }

  #moveHead(count: number): void {
    const before = this.#head
    this.#head = (before + count) | 0
    // The lap first: a reader that sees the head beyond it also sees the new lap.
    if (this.#head >> LAP_SHIFT !== before >> LAP_SHIFT) Atomics.add(this.#ints, LAP, 1)
    Atomics.store(this.#ints, HEAD, this.#head)
    Atomics.notify(this.#ints, HEAD)
  }
}

function slotOf(number: number): number {
  return HEADER + (number & RING_MASK) * WIDTH
}

/** The current head of the ring, for `headMoved`. */
export function ringHead(buffer: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(buffer), HEAD)
}

/** Resolves once the head has moved, without blocking a thread. */
export async function headMoved(buffer: SharedArrayBuffer, head: number): Promise<void> {
  const waiting = Atomics.waitAsync(new Int32Array(buffer), HEAD, head)
  await waiting.value
}

/**
 * Why no cached value can be stale: the writer adds its invalidations after its commit. A reader
 * takes invalidations first and reads rows afterwards, in one synchronous stretch. A change missing
 * from its rows was committed after they were read, so the reader has not taken its invalidation
 * yet, and will before it next uses its cache.
 *
 * Begins at the head: a new reader has an empty cache.
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
   * Whether memory has what is in the rows of all commits whose invalidations were taken. Ask after
   * taking them, and before reading memory.
   */
  get isInStep(): boolean {
    return !isPublishing(this.#ints)
  }

  /**
   * Hands over every invalidation since the last call. An invalidation may repeat, and none
   * guarantees that something did change.
   * @returns false if invalidations were lost, even while taking them: the caller must drop its
   * cache
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
      copyInvalidation(ints, slotOf(this.#position + i), { words: copy, at: i * WIDTH })
    }
  }

  /** @returns false at an invalidation of everything */
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

// Two counts of the writer's commits, in the header of the invalidation ring, which every reader has. Each is
// odd from just before a commit. The count of all commits stays odd until their invalidations are published,
// so that a reader knows without asking the database whether any row has changed; the count of commits that
// also change memory, until graph and timelines match the rows. Readers that need both in step wait for it.

const STEP_MS = 5

/** Indexes of the counts in the integers of an `InvalidationWriter`'s buffer. */
const PUBLISHING = 2
const COMMITS = 3

/** Called by the writer before each commit. */
function beginCommit(ints: Int32Array): void {
  if ((Atomics.load(ints, COMMITS) & 1) === 0) Atomics.add(ints, COMMITS, 1)
}

/**
 * Called by the writer once the invalidations of the commit are published, or nothing was
 * committed.
 */
function endCommit(ints: Int32Array): void {
  if ((Atomics.load(ints, COMMITS) & 1) === 1) Atomics.add(ints, COMMITS, 1)
}

/**
 * Loaded before rows are read: while the count is the same, the rows are too.
 * @returns undefined while a commit is under way
 */
export function settledCommits(ints: Int32Array): number | undefined {
  const count = Atomics.load(ints, COMMITS)
  return (count & 1) === 0 ? count : undefined
}

/** Called by the writer before its commit. */
function beginPublishing(ints: Int32Array): void {
  if ((Atomics.load(ints, PUBLISHING) & 1) === 0) Atomics.add(ints, PUBLISHING, 1)
}

/** Called by the writer once memory matches its rows. */
function endPublishing(ints: Int32Array): void {
  if ((Atomics.load(ints, PUBLISHING) & 1) === 0) return
  Atomics.add(ints, PUBLISHING, 1)
  Atomics.notify(ints, PUBLISHING)
}

/** Whether a commit is, or may be, in rows and not yet in memory. */
function isPublishing(ints: Int32Array): boolean {
  return (Atomics.load(ints, PUBLISHING) & 1) === 1
}

/**
 * Waits until everything committed before this call is in memory.
 * @returns whether it is; false after the timeout
 */
export function awaitPublished(ints: Int32Array, withinMs: number): boolean {
  const count = Atomics.load(ints, PUBLISHING)
  if ((count & 1) === 0) return true
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += STEP_MS) {
    if (Atomics.wait(ints, PUBLISHING, count, STEP_MS) !== 'timed-out') return true
  }
  return Atomics.load(ints, PUBLISHING) !== count
}
