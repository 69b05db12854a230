// What recent viewers are to accounts and did to posts, kept as the JSON that fills the slots of cached views.
// Bounded by bytes; the viewer who was away longest is forgotten first, and one who alone fills a good part begins
// anew. `posts` holds the `viewer` of posts without gates: nearly all of them say that nothing was done. `gated`
// holds that of posts whose gates had to be asked, or that are the viewer's own; it counts only together with the
// cached view that it was made for, which is another one once the gates change.

import type { RelationRules } from '../views/rules.ts'
import type { CachedView } from './cached-view.ts'

export type KnownRelation = RelationRules & {
  /** Byte text: `,"viewer":{…}`, or nothing for visitors. */
  text: string
}

const MAP_ENTRY_BYTES = 48
const VIEWER_BYTES = 1_000
/** One viewer may fill so much of it all. */
const MAX_SHARE = 1 / 4

export class ViewerMemory {
  readonly uid: number
  readonly relations = new Map<number, KnownRelation>()
  readonly posts = new Map<number, string>()
  readonly gated = new Map<number, { cachedView: CachedView; text: string }>()
  /** Only ever grows until all is forgotten, so it is rather too much than too little. */
  bytes = VIEWER_BYTES
  #passing: number[] = []

  constructor(uid: number) {
    this.uid = uid
  }

  keepRelation(uid: number, relation: KnownRelation, isShared: boolean): void {
    this.relations.set(uid, relation)
    this.bytes += MAP_ENTRY_BYTES + (isShared ? 0 : relation.text.length + 72)
  }

  /** For this visit only. */
  holdRelation(uid: number, relation: KnownRelation): void {
    this.relations.set(uid, relation)
    this.#passing.push(uid)
  }

  endVisit(): void {
    for (const uid of this.#passing) this.relations.delete(uid)
    this.#passing = []
  }

  keepPost(id: number, text: string, isShared: boolean): void {
    this.posts.set(id, text)
    this.bytes += MAP_ENTRY_BYTES + (isShared ? 0 : text.length + 24)
  }

  keepGated(id: number, cachedView: CachedView, text: string): void {
    this.gated.set(id, { cachedView, text })
    this.bytes += MAP_ENTRY_BYTES + text.length + 64
  }

  /** Whom gates let in depends on what accounts are to each other. */
  forgetRelation(uid: number): void {
    this.relations.delete(uid)
    this.gated.clear()
  }

  forgetPost(id: number): void {
    this.posts.delete(id)
    this.gated.delete(id)
  }

  clear(): void {
    this.relations.clear()
    this.posts.clear()
    this.gated.clear()
    this.bytes = VIEWER_BYTES
  }
}

export class ViewerMemories {
  #maxBytes: number
  /** In the order of their last visits. */
  readonly #viewers = new Map<number, ViewerMemory>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** What is known of a viewer who is here now; taken out until the visit ends. */
  visit(uid: number): ViewerMemory {
    const viewer = this.#viewers.get(uid)
    if (!viewer) return new ViewerMemory(uid)
    this.#viewers.delete(uid)
    this.#bytes -= viewer.bytes
    return viewer
  }

  /** Puts it back as the latest, and makes room. */
  leave(viewer: ViewerMemory): void {
    viewer.endVisit()
    if (viewer.bytes > this.#maxBytes * MAX_SHARE) viewer.clear()
    this.#viewers.set(viewer.uid, viewer)
    this.#bytes += viewer.bytes
    this.#makeRoom()
  }

  /** Who was here longest ago is forgotten first, now. */
  keepAtMost(bytes: number): void {
    this.#maxBytes = bytes
    this.#makeRoom()
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes) {
      const [oldest] = this.#viewers.values()
      if (!oldest) return
      this.#viewers.delete(oldest.uid)
      this.#bytes -= oldest.bytes
    }
  }

  /** Between these two, whichever of them is a viewer. */
  forgetBetween(uid: number, otherUid: number): void {
    this.#viewers.get(uid)?.forgetRelation(otherUid)
    this.#viewers.get(otherUid)?.forgetRelation(uid)
  }

  /** Between the account and everybody. */
  forgetAllBetween(uid: number): void {
    const own = this.#viewers.get(uid)
    own?.relations.clear()
    for (const viewer of this.#viewers.values()) viewer.forgetRelation(uid)
    own?.gated.clear()
  }

  forgetPost(uid: number, post: number): void {
    this.#viewers.get(uid)?.forgetPost(post)
  }

  forgetPosts(uid: number): void {
    const viewer = this.#viewers.get(uid)
    viewer?.posts.clear()
    viewer?.gated.clear()
  }

  forgetAll(): void {
    this.#viewers.clear()
    this.#bytes = 0
  }
}
