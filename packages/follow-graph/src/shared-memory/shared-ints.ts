// Growable arrays of 32-bit integers in memory that all threads share. The address space is reserved once
// (`maxByteLength`); pages become resident only when they are touched, so reserving or growing generously costs
// nothing. Views have a fixed length because those are as fast as plain typed arrays, while length-tracking ones are
// about 25 times slower (measured on Node 24).

import { assert } from '../assert.ts'

const GROWTH_STEP_INTS = 16_384

/**
 * Grows in place: a view made before a growth stays right for the part it covers and is only too
 * short. So a reader needs no generation number; when it meets an index beyond its view, it calls
 * `refresh` and looks again.
 */
export class SharedInts {
  readonly buffer: SharedArrayBuffer
  ints: Int32Array<SharedArrayBuffer>

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer
    this.ints = new Int32Array(buffer, 0, buffer.byteLength >>> 2)
  }

  /** For the writer: afterwards `ints.length >= length`. New integers are 0. */
  ensure(length: number): void {
    if (length > this.ints.length) this.#grow(length)
  }

  /**
   * For the reader: takes in what the writer has grown.
   * @returns whether `length` fits now
   */
  refresh(length: number): boolean {
    const available = Math.floor(this.buffer.byteLength / 4)
    if (available > this.ints.length) this.ints = new Int32Array(this.buffer, 0, available)
    return length <= available
  }

  #grow(length: number): void {
    const max = Math.floor(this.buffer.maxByteLength / 4)
    assert(length <= max, `shared array is full: ${length} of at most ${max} integers`)
    const wanted = Math.max(length, Math.floor(this.ints.length * 1.5))
    const rounded = Math.ceil(wanted / GROWTH_STEP_INTS) * GROWTH_STEP_INTS
    this.buffer.grow(Math.min(rounded, max) * 4)
    this.ints = new Int32Array(this.buffer, 0, Math.min(rounded, max))
  }
}

/** @param maxLength - in integers; reserved as address space, not as memory */
export function createSharedInts(maxLength: number, initialLength: number = 0): SharedInts {
  const length = Math.min(Math.max(initialLength, 1), maxLength)
  return new SharedInts(new SharedArrayBuffer(length * 4, { maxByteLength: maxLength * 4 }))
}
