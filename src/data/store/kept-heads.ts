// The newest post and repost of accounts at or before some time, kept from page to page: whoever reads on below the
// ring's end asks for thousands of them each time, and nearly all are the same. Two times answer for every time
// between them: where the newest item at or before `until` is of `head`, it is so for all times from `head` to
// `until`. Whoever keeps this across requests has to forget accounts whose feeds change (INVALIDATION.feed in
// data/shared-memory/invalidation-kinds.ts).

/** `until` is what was asked; null: there is nothing so old. Milliseconds. */
type KeptHead = { until: number; post: number | null; repost: number | null }

/** Then all are forgotten; about 120 bytes each. */
const MAX_ACCOUNTS = 100_000

export class KeptHeads {
  readonly #byUid = new Map<number, KeptHead>()

  /** @returns undefined where it is not known for this time. */
  find(uid: number, until: number): KeptHead | undefined {
    const kept = this.#byUid.get(uid)
    if (!kept || until > kept.until) return undefined
    return (kept.post ?? -Infinity) <= until && (kept.repost ?? -Infinity) <= until
      ? kept
      : undefined
  }

  keep(uid: number, head: KeptHead): void {
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
