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
 * @param maxKeptBytes - beyond that, everything kept so far is left to the collector, since it may
 * be of sizes that are no longer asked for
 */
export function createReusedMemory(maxKeptBytes: number): ReusedMemory {
  let kept = emptyLists()
  const known = new WeakMap<ArrayBufferLike, Memory>()
  let keptBytes = 0

  function allocate(size: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(SIZES[size]!)
    known.set(bytes.buffer, { bytes, size, isLent: true })
    return bytes
  }

  return {
    take(length) {
      const size = SIZES.findIndex((one) => one >= length)
      if (size < 0) return Buffer.allocUnsafeSlow(length)
      const memory = kept[size]!.pop()
      if (!memory) return allocate(size)
      memory.isLent = true
      keptBytes -= memory.bytes.length
      return memory.bytes
    },
    giveBack(part) {
      const memory = known.get(part.buffer)
      if (!memory?.isLent) return
      if (keptBytes + memory.bytes.length > maxKeptBytes) {
        kept = emptyLists()
        keptBytes = 0
      }
      memory.isLent = false
      keptBytes += memory.bytes.length
      kept[memory.size]!.push(memory)
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
