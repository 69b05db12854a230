// What was answered lately, as bytes, so that its size is known. Also what was not: that nobody has an
// answer is worth knowing for a moment too.

type AnswerCache = {
  /** `null`: there is none, known lately. Undefined: not known. */
  get(key: string): Buffer | null | undefined
  set(key: string, answer: Buffer | null, forMs: number): void
}

type Entry = { answer: Buffer | null; until: number; bytes: number }

/** Of the key, twice, and what stands around an entry. */
const OVERHEAD_BYTES = 200

export function createAnswerCache(maxBytes: number, now: () => number): AnswerCache {
  // In the order in which they were used, the longest unused first.
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
