// Lock-free reads of a structure that one writer changes: a sequence number and a ring of the owners changed
// last. A reader notes the number, reads with ordinary loads, and calls `untouched`; if a change to what it
// read may have been half done, it reads again. Changes to other owners cost it nothing, however many, which
// makes this better than one sequence lock for everything, and it needs no version word per owner.

import { InvariantError } from '../assert.ts'

const SEQUENCE = 0
/** The number has a cache line of its own. */
const HEADER = 16
const RING = 4096
const RING_MASK = RING - 1
/** For a reader of only one owner; a writer never names it. */
export const UNREAD = -2

const LOADS_STAY_IN_ORDER = process.arch === 'x64'
const STORES_STAY_IN_ORDER = process.arch === 'x64'
const SPINS = 200
const WAIT_MS = 1
const MAX_ATTEMPTS = SPINS + 10_000

/**
 * The writer brackets each change with `begin(a, b)` and `end()`. The number is odd in between.
 * Change number n is in ring place n % RING and names the two integers it touches, for instance the
 * creator whose follows and the subject whose followers change.
 *
 * Why this is right in JavaScript: `Atomics.load` and `Atomics.store` are sequentially consistent.
 * The store in `begin` follows the ring entry and precedes every data store; the store in `end`
 * follows them. V8 does not move ordinary accesses to shared memory across an atomic one, and
 * ordinary ones race without tearing inside a 32-bit integer. A reader that meets a value of change
 * n therefore finds the number at n or later when it looks again, if its second look is ordered
 * after its loads. On x86-64 loads are never reordered with loads. Elsewhere an acquiring load does
 * not hold back the loads before it, so the reader first makes a sequentially consistent store to a
 * cell of its own: earlier loads stay before it, and the later load stays after it. The writer has
 * the same problem elsewhere: ordinary stores could overtake the atomic one before them, but not an
 * atomic load, so `begin` ends with one.
 *
 * The number wraps after 2^31 changes; only a reader that sleeps inside one read for exactly that
 * many could be fooled.
 */
export class ChangeLogWriter {
  readonly buffer: SharedArrayBuffer
  readonly #ints: Int32Array<SharedArrayBuffer>
  #sequence = 0

  constructor() {
    this.buffer = new SharedArrayBuffer((HEADER + RING * 2) * 4)
    this.#ints = new Int32Array(this.buffer)
  }

  begin(a: number, b: number): void {
    const ints = this.#ints
    const at = HEADER + ((this.#sequence >>> 1) & RING_MASK) * 2
    ints[at] = a
    ints[at + 1] = b
    this.#sequence = (this.#sequence + 1) | 0
    Atomics.store(ints, SEQUENCE, this.#sequence)
    if (!STORES_STAY_IN_ORDER) Atomics.load(ints, SEQUENCE)
  }

  end(): void {
    this.#sequence = (this.#sequence + 1) | 0
    Atomics.store(this.#ints, SEQUENCE, this.#sequence)
  }
}

/**
 * A read was consistent if no overlapping change names its owners: none that began before the
 * reader was done and was unfinished when it started. Memory freed by the writer may be handed to
 * another owner at once. A reader still inside the old place then reads foreign data, but its own
 * owner was moved by a change that it will find in the ring, so it discards what it read. The
 * reader only has to stay in bounds and end its loops whatever it reads.
 */
export class ChangeLogReader {
  readonly #ints: Int32Array<SharedArrayBuffer>
  readonly #fence = new Int32Array(new SharedArrayBuffer(4))

  constructor(buffer: SharedArrayBuffer) {
    this.#ints = new Int32Array(buffer)
  }

  /** Call before the first load. */
  start(): number {
    return Atomics.load(this.#ints, SEQUENCE)
  }

  /** Call after the last load: whether no change since named `a` (first) or `b` (second). */
  untouched(started: number, a: number, b: number): boolean {
    const now = this.#sequenceAfterLoads()
    if (now === started && (now & 1) === 0) return true
    return this.#noneNames(started, now, a, b)
  }

  /**
   * Lets the writer finish before attempt number `attempt`.
   * @throws InvariantError if it never does
   */
  pause(attempt: number): void {
    if (attempt < SPINS) return
    if (attempt > MAX_ATTEMPTS) throw new InvariantError('a writer never finished its change')
    Atomics.wait(this.#ints, SEQUENCE, Atomics.load(this.#ints, SEQUENCE), WAIT_MS)
  }

  #sequenceAfterLoads(): number {
    if (!LOADS_STAY_IN_ORDER) Atomics.store(this.#fence, 0, 0)
    return Atomics.load(this.#ints, SEQUENCE)
  }

  #noneNames(started: number, now: number, a: number, b: number): boolean {
    const ints = this.#ints
    const first = started >>> 1
    const count = changesBetween(started, now)
    if (count >= RING_MASK) return false
    for (let i = 0; i < count; i++) {
      const at = HEADER + ((first + i) & RING_MASK) * 2
      const changed = ints[at]!
      if (changed === a || ints[at + 1] === b) return false
    }
    // The writer may have lapped the ring and overwritten the entries just checked.
    return changesBetween(started, this.#sequenceAfterLoads()) < RING_MASK
  }
}

/** Changes begun by `now` that were unfinished at `started`. */
function changesBetween(started: number, now: number): number {
  const finished = started & ~1
  return ((((now - finished) | 0) + 1) >>> 1) & 0x7fffffff
}
