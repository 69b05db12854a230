// A growing buffer that text and bytes are appended to. Text is collected first, since one long write is much
// cheaper than many short ones.

// Memory for what is sent, used again once it is sent. If each answer had its own, every 4 KB of it would cost a page
// fault, a collection would free that of hundreds of answers at once, and V8 would count all of it as if it filled
// the heap (docs/notes/2026-11-27-the-memory-of-answers-is-used-again.md).

type Memory = { readonly bytes: Buffer; readonly size: number; isLent: boolean }

type ReusedMemory = {
  /**
   * Returns at least as many bytes, with any content. The caller owns them until it gives them
   * back, if ever. Up to 1 MB is reused, and from 16 KB on it is at most a quarter more than asked
   * for.
   */
  take(length: number): Buffer
  /**
   * Memory that did not come from `take`, or was given back already, is left alone.
   *
   * @param part - of the memory; nothing may read or write it from now on.
   */
  giveBack(part: Buffer): void
}

const SIZES = sizes()

/**
 * @param maxCachedBytes - beyond that, everything kept so far is left to the collector, since it may
 * be of sizes that are no longer asked for
 */
export function createReusedMemory(maxCachedBytes: number): ReusedMemory {
  let retained = emptyLists()
  const known = new WeakMap<ArrayBufferLike, Memory>()
  let storedBytes = 0

  function allocate(size: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(SIZES[size]!)
    known.set(bytes.buffer, { bytes, size, isLent: true })
    return bytes
  }

  return {
    take(length) {
      const size = SIZES.findIndex((value) => value >= length)
      if (size < 0) return Buffer.allocUnsafeSlow(length)
      const memory = retained[size]!.pop()
      if (!memory) return allocate(size)
      memory.isLent = true
      storedBytes -= memory.bytes.length
      return memory.bytes
    },
    giveBack(part) {
      const memory = known.get(part.buffer)
      if (!memory?.isLent) return
      if (storedBytes + memory.bytes.length > maxCachedBytes) {
        retained = emptyLists()
        storedBytes = 0
      }
      memory.isLent = false
      storedBytes += memory.bytes.length
      retained[memory.size]!.push(memory)
    },
  }
}

function emptyLists(): Memory[][] {
  return SIZES.map(() => [])
}

/** 4 KB to 1 MB. */
function sizes(): number[] {
  const all = [1 << 12, 1 << 13, 3 << 12]
  for (let size = 1 << 14; size < 1 << 20; size *= 2) {
    all.push(size, size * 1.25, size * 1.5, size * 1.75)
  }
  return [...all, 1 << 20]
}

const FIRST_BYTES = 1 << 18
/** Larger memory is released afterwards, since pages seldom need it. */
const MAX_CACHED_BYTES = 4 << 20
const MAX_UTF8_BYTES = 3
/** Shorter answers get memory of their own. */
const REUSED_FROM = 1 << 12
const CAPACITY = 1.1

/** Where this thread's answers are written to. */
export const answerMemory = createReusedMemory(8 << 20)

export class JsonBuffer {
  #memory = answerMemory.take(FIRST_BYTES)
  #length = 0
  #text = ''

  clear(): void {
    if (this.#memory.length > MAX_CACHED_BYTES) this.#memory = answerMemory.take(FIRST_BYTES)
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
    const next = Math.ceil(end * CAPACITY)
    this.#memory = answerMemory.take(next > MAX_CACHED_BYTES ? FIRST_BYTES : next)
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
