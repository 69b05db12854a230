// Caches the newest post and repost of accounts at or before a time, from page to page: a reader below the
// ring's end asks for thousands each time, and nearly all are unchanged. Two times answer for every time
// between them: if the newest item at or before `until` is of `head`, so it is for all times from `head` to
// `until`. A cache that outlives a request must drop accounts whose feeds change (INVALIDATION.feed in
// data/shared-memory/invalidation-kinds.ts).

/** `until` is the requested time; null: there is no item that old. Milliseconds. */
type CachedHead = { until: number; post: number | null; repost: number | null }

/** At this size the cache is cleared; about 120 bytes per account. */
const MAX_ACCOUNTS = 100_000

export class CachedHeads {
  readonly #byUid = new Map<number, CachedHead>()

  /** @returns undefined if unknown for this time */
  find(uid: number, until: number): CachedHead | undefined {
    const cached = this.#byUid.get(uid)
    if (!cached || until > cached.until) return undefined
    return (cached.post ?? -Infinity) <= until && (cached.repost ?? -Infinity) <= until
      ? cached
      : undefined
  }

  add(uid: number, head: CachedHead): void {
    if (this.#byUid.size >= MAX_ACCOUNTS) this.#byUid.clear()
    this.#byUid.set(uid, head)
  }

  forget(uid: number): void {
    this.#byUid.delete(uid)
  }

  forgetAll(): void {
    this.#byUid.clear()
  }
}
