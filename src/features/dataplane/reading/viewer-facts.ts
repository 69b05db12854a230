// Recent viewers' relations to accounts and reactions to posts, as encoded in answers. At the limit all of
// them are dropped, and active viewers' facts are read again.

/** About a hundred bytes each. */
const MAX_FACTS = 250_000

/** Keyed by posts.id or uid: at-URIs and encoded messages. Empty values mean that there is none. */
class Viewer {
  readonly likes = new Map<number, string>()
  readonly reposts = new Map<number, string>()
  readonly bookmarks = new Map<number, Uint8Array>()
  readonly threadMutes = new Map<number, boolean>()
  readonly relations = new Map<number, Uint8Array>()

  forgetPost(id: number): void {
    for (const facts of this.#ofPosts()) facts.delete(id)
  }

  forgetPosts(): void {
    for (const facts of this.#ofPosts()) facts.clear()
  }

  #ofPosts(): Map<number, unknown>[] {
    return [this.likes, this.reposts, this.bookmarks, this.threadMutes]
  }
}

type FactsOf<T> = (viewer: Viewer) => Map<number, T>

export class ViewerFacts {
  readonly #viewers = new Map<number, Viewer>()
  #count = 0

  /**
   * Returns facts about these ids, reading the unknown ones. The id 0 has no facts.
   * @param read - facts by id; ids that it leaves out become `none`
   */
  about<T>(
    uid: number,
    ids: readonly number[],
    {
      of,
      read,
      none,
    }: { of: FactsOf<T>; read: (ids: number[]) => Iterable<readonly [number, T]>; none: T },
  ): ReadonlyMap<number, T> {
    if (this.#count + ids.length > MAX_FACTS) this.clear()
    const facts = of(this.#viewerOf(uid))
    const missing = ids.filter((id) => id !== 0 && !facts.has(id))
    if (missing.length === 0) return facts
    const unknown = [...new Set(missing)]
    const found = new Map(read(unknown))
    for (const id of unknown) facts.set(id, found.has(id) ? found.get(id)! : none)
    this.#count += unknown.length
    return facts
  }

  forgetPost(uid: number, post: number): void {
    this.#viewers.get(uid)?.forgetPost(post)
  }

  forgetPosts(uid: number): void {
    this.#viewers.get(uid)?.forgetPosts()
  }

  /** Either account may be the viewer. */
  forgetBetween(uid: number, other: number): void {
    this.#viewers.get(uid)?.relations.delete(other)
    this.#viewers.get(other)?.relations.delete(uid)
  }

  /** Between the account and all others. */
  forgetAllBetween(uid: number): void {
    this.#viewers.get(uid)?.relations.clear()
    for (const viewer of this.#viewers.values()) viewer.relations.delete(uid)
  }

  forgetRelation(uid: number, other: number): void {
    this.#viewers.get(uid)?.relations.delete(other)
  }

  clear(): void {
    this.#viewers.clear()
    this.#count = 0
  }

  #viewerOf(uid: number): Viewer {
    const known = this.#viewers.get(uid)
    if (known) return known
    const viewer = new Viewer()
    this.#viewers.set(uid, viewer)
    return viewer
  }
}
