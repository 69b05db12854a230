// What an answer was written from, and whether all of that is still as it was. Views say it themselves, and the
// memories of a viewer, of labels and of blocks by a number, so that a look takes microseconds, or next to nothing
// if no view at all was forgotten since the last one. Whatever is held for one page alone makes an answer that is
// not kept (docs/notes/2026-11-29-a-page-asked-for-again.md).

import type { LikerList, LikerLists } from '../hydrate/known-likers.ts'
import type { CachedView, Missing } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { LabelMemory } from './label-memory.ts'
import type { ViewerMemory } from './viewer-memory.ts'

/** The caches as one viewer with these labelers sees them. */
type SeenCaches = {
  views: CachedViews
  viewer: ViewerMemory
  /** Undefined if no labels count. */
  labels: LabelMemory | undefined
  blocks: KnownBlocks
  likers: LikerLists
}

/** Equal: nothing was forgotten but views and lists of likers. */
type Stamp = { generation: number; viewer: number; labels: number; blocks: number }

export class PageSources {
  readonly #views: CachedView[] = []
  readonly #lists: { post: number; list: LikerList }[] = []
  readonly #missing: Missing[] = []
  #stamp: Stamp | undefined
  #before = Infinity
  #isWhole = true
  #viewChanges = 0
  #listChanges = 0

  /** Called before anything is read from the caches. An answer may consist of several pages. */
  begin(caches: SeenCaches): void {
    const stamp = stampOf(caches)
    if (this.#stamp === undefined) this.#stamp = stamp
    else if (!areEqual(this.#stamp, stamp)) this.refuse()
  }

  addView(view: CachedView): void {
    this.#views.push(view)
    if (view.before !== undefined && view.before < this.#before) this.#before = view.before
  }

  addList(post: number, list: LikerList): void {
    this.#lists.push({ post, list })
  }

  addMissing(missing: Missing): void {
    this.#missing.push(missing)
  }

  /** What the answer needs and the index lacks: whoever is sent it asks for that anew. */
  get missing(): readonly Missing[] {
    return this.#missing
  }

  /** The answer holds what no invalidation will name. */
  refuse(): void {
    this.#isWhole = false
  }

  get areComplete(): boolean {
    return this.#isWhole && this.#stamp !== undefined
  }

  /** @returns whether the answer would be written in the same way now, from the same items. */
  areCurrent(caches: SeenCaches, now: number): boolean {
    if (!this.#isWhole || !this.#stamp || now >= this.#before) return false
    if (!areEqual(this.#stamp, stampOf(caches))) return false
    const { views, likers } = caches
    if (this.#viewChanges !== views.changes) {
      for (const view of this.#views) if (view.isForgotten) return false
      this.#viewChanges = views.changes
    }
    if (this.#listChanges !== likers.changes) {
      for (const { post, list } of this.#lists) if (likers.get(post) !== list) return false
      this.#listChanges = likers.changes
    }
    return true
  }

  /** Estimated memory, without the views. */
  get bytes(): number {
    return 400 + (this.#views.length + this.#missing.length) * 8 + this.#lists.length * 56
  }
}

function stampOf({ views, viewer, labels, blocks }: SeenCaches): Stamp {
  return {
    generation: views.generation,
    viewer: viewer.version,
    labels: labels?.version ?? 0,
    blocks: blocks.changes,
  }
}

function areEqual(stamp: Stamp, other: Stamp): boolean {
  return (
    stamp.generation === other.generation &&
    stamp.viewer === other.viewer &&
    stamp.labels === other.labels &&
    stamp.blocks === other.blocks
  )
}
