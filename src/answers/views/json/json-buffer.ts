// A growing buffer that text and bytes are appended to. Text is collected first, since one long write is much
// cheaper than many short ones.

import { createReusedMemory } from '../../../base/util/reused-memory.ts'

const FIRST_BYTES = 1 << 18
/** Larger memory is released afterwards, since pages seldom need it. */
const MAX_KEPT_BYTES = 4 << 20
const MAX_UTF8_BYTES = 3
/** Shorter answers get memory of their own. */
const REUSED_FROM = 1 << 12
const ROOM = 1.1

/** Where this thread's answers are written to. */
export const answerMemory = createReusedMemory(8 << 20)

export class JsonBuffer {
  #memory = answerMemory.take(FIRST_BYTES)
  #length = 0
  #text = ''

  clear(): void {
    if (this.#memory.length > MAX_KEPT_BYTES) this.#memory = answerMemory.take(FIRST_BYTES)
    this.#length = 0
    this.#text = ''
  }

  text(text: string): void {
    this.#text += text
  }

  /** Appends the bytes of `source` from `start` up to but excluding `end`. */
  bytes(source: Buffer, start: number, end: number): void {
    this.#flush()
    this.#ensure(end - start)
    this.#length += source.copy(this.#memory, this.#length, start, end)
  }

  /** Appends byte text: one character per byte. */
  byteText(parts: readonly string[]): void {
    this.#flush()
    let memory = this.#memory
    let end = this.#length
    for (const part of parts) {
      if (end + part.length > memory.length) {
        this.#length = end
        this.#ensure(part.length)
        memory = this.#memory
      }
      end += memory.write(part, end, 'latin1')
    }
    this.#length = end
  }

  /** The number of bytes so far. */
  position(): number {
    this.#flush()
    return this.#length
  }

  /** Copies everything from `start` on. */
  copyFrom(start: number): Buffer {
    // Must be first: it may reallocate the memory.
    const end = this.position()
    const copy = Buffer.allocUnsafeSlow(end - start)
    this.#memory.copy(copy, 0, start, end)
    return copy
  }

  /**
   * Returns everything since `clear`; the caller owns the result, and may give it back to
   * `answerMemory`. If it fills most of the memory it was written to, it is returned
   * without copying, and the next one, likely to be as long, gets other memory.
   */
  take(): Buffer {
    const end = this.position()
    if (end < REUSED_FROM) return this.copyFrom(0)
    if (end * 2 < this.#memory.length) {
      const copy = answerMemory.take(end).subarray(0, end)
      this.#memory.copy(copy, 0, 0, end)
      return copy
    }
    const taken = this.#memory.subarray(0, end)
    const next = Math.ceil(end * ROOM)
    this.#memory = answerMemory.take(next > MAX_KEPT_BYTES ? FIRST_BYTES : next)
    this.#length = 0
    return taken
  }

  #flush(): void {
    if (this.#text === '') return
    this.#ensure(this.#text.length * MAX_UTF8_BYTES)
    this.#length += this.#memory.write(this.#text, this.#length)
    this.#text = ''
  }

  #ensure(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#memory.length) return
    const larger = answerMemory.take(Math.max(needed, this.#memory.length * 2))
    this.#memory.copy(larger, 0, 0, this.#length)
    answerMemory.giveBack(this.#memory)
    this.#memory = larger
  }
}
