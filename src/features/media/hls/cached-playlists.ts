// Caches playlists' contents for some minutes. Bounded by text size, not by count, since one playlist may be
// a thousand times longer than another.

type Cached<T> = { value: T; weight: number; until: number }

type CachedPlaylists<T> = {
  get(key: string): T | undefined
  set(key: string, value: T, weight: number): void
}

const MAX_WEIGHT = 16 << 20
const CACHED_MS = 300_000
/** Overhead of an entry beside its text. */
const ENTRY_WEIGHT = 500

export function createCachedPlaylists<T>(now: () => number): CachedPlaylists<T> {
  /** Least recently used first. */
  const cache = new Map<string, Cached<T>>()
  let total = 0

  function drop(key: string): void {
    total -= cache.get(key)?.weight ?? 0
    cache.delete(key)
  }

  return {
    get(key) {
      const found = cache.get(key)
      if (!found) return undefined
      if (found.until <= now()) {
        drop(key)
        return undefined
      }
      cache.delete(key)
      cache.set(key, found)
      return found.value
    },
    set(key, value, weight) {
      drop(key)
      cache.set(key, { value, weight: weight + ENTRY_WEIGHT, until: now() + CACHED_MS })
      total += weight + ENTRY_WEIGHT
      for (const oldest of cache.keys()) {
        if (total <= MAX_WEIGHT) break
        drop(oldest)
      }
    },
  }
}
