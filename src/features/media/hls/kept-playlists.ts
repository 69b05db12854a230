// Caches playlists' contents for some minutes. Bounded by text size, not by count, since one playlist may be
// a thousand times longer than another.

type Kept<T> = { value: T; weight: number; until: number }

type KeptPlaylists<T> = {
  get(key: string): T | undefined
  set(key: string, value: T, weight: number): void
}

const MAX_WEIGHT = 16 << 20
const KEPT_MS = 300_000
/** Overhead of an entry beside its text. */
const ENTRY_WEIGHT = 500

export function createKeptPlaylists<T>(now: () => number): KeptPlaylists<T> {
  /** Least recently used first. */
  const kept = new Map<string, Kept<T>>()
  let total = 0

  function drop(key: string): void {
    total -= kept.get(key)?.weight ?? 0
    kept.delete(key)
  }

  return {
    get(key) {
      const found = kept.get(key)
      if (!found) return undefined
      if (found.until <= now()) {
        drop(key)
        return undefined
      }
      kept.delete(key)
      kept.set(key, found)
      return found.value
    },
    set(key, value, weight) {
      drop(key)
      kept.set(key, { value, weight: weight + ENTRY_WEIGHT, until: now() + KEPT_MS })
      total += weight + ENTRY_WEIGHT
      for (const oldest of kept.keys()) {
        if (total <= MAX_WEIGHT) break
        drop(oldest)
      }
    },
  }
}
