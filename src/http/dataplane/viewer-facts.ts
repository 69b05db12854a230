// What recent viewers are to accounts, and what they did to posts, as it stands in answers. Bounded by the number
// of such facts: then all are forgotten, and who still reads has theirs read again.

/** About a hundred bytes each. */
const MAX_FACTS = 250_000

/** By posts.id, and by uid: at-URIs, and encoded messages. Empty: nothing of the kind was done. */
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
   * Facts of these ids, read where they are not known; of 0, whom nobody knows, there are none.
   * @param read - facts of ids; those that it leaves out are `none`
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

  /** Whichever of them is a viewer. */
  forgetBetween(uid: number, other: number): void {
    this.#viewers.get(uid)?.relations.delete(other)
    this.#viewers.get(other)?.relations.delete(uid)
  }

  /** Between the account and everybody. */
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
