// Caches recent answers as bytes, so that their size is known. Missing answers are cached for a moment too.

export type AnswerCache = {
  /** `null`: recently known to have no answer. Undefined: not known. */
  get(key: string): Buffer | null | undefined
  set(key: string, answer: Buffer | null, forMs: number): void
}

type Entry = { answer: Buffer | null; until: number; bytes: number }

/** Estimated overhead of an entry, besides twice its key. */
const OVERHEAD_BYTES = 200

export function createAnswerCache(maxBytes: number, now: () => number): AnswerCache {
  // In order of use, least recently used first.
  const entries = new Map<string, Entry>()
  let held = 0

  function drop(key: string): void {
    held -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      if (entry.until > now()) entries.set(key, entry)
      else held -= entry.bytes
      return entry.until > now() ? entry.answer : undefined
    },
    set(key, answer, forMs) {
      drop(key)
      const bytes = (answer?.length ?? 0) + key.length * 2 + OVERHEAD_BYTES
      if (bytes > maxBytes) return
      entries.set(key, { answer, until: now() + forMs, bytes })
      held += bytes
      for (const oldest of entries.keys()) {
        if (held <= maxBytes) break
        drop(oldest)
      }
    },
  }
}
