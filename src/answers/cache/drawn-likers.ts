// Known likers of a post as they were written for a viewer, and whether they would be written in the same way now.
// Whether anything was forgotten at all is told by a few numbers, as for whole pages (page-sources.ts): looking up each
// account's view, relation and blocks again took a third of what known likers cost a page.

import { fullText } from '../views/json/ready-json.ts'
import type { CachedView } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { LabelMemory } from './label-memory.ts'

/** What they are written from, as the viewer's request sees it. */
type SeenBy = {
  views: CachedViews
  viewer: { readonly version: number }
  blocks: KnownBlocks
  /** Undefined if no labels count. */
  labels: LabelMemory | undefined
}

export class DrawnLikers {
  /** The viewer object of the post, without its brace: what the text begins with. */
  readonly before: string
  /** Byte text of the viewer object with them: one piece, since each piece is written by itself. */
  readonly text: string
  /** Of the first accounts, none of them in a block, muted or labelled. */
  readonly views: readonly CachedView[]
  /** To the same accounts, compared by identity alone. */
  readonly relations: readonly object[]
  #generation = -1
  #viewChanges = -1
  #viewer = -1
  #blocks = -1
  #labels: LabelMemory | undefined
  #labelled = -1

  constructor(
    { before, likers }: { before: string; likers: string },
    views: readonly CachedView[],
    relations: readonly object[],
  ) {
    this.before = before
    this.text = fullText(before + likers)
    this.views = views
    this.relations = relations
  }

  /** Whether nothing was forgotten of what was there at the last call of `renew`. */
  isSurelyCurrent({ views, viewer, blocks, labels }: SeenBy): boolean {
    if (this.#generation !== views.generation || this.#viewer !== viewer.version) return false
    if (this.#blocks !== blocks.changes || this.#labels !== labels) return false
    if (labels !== undefined && this.#labelled !== labels.version) return false
    if (this.#viewChanges !== views.changes) {
      for (const view of this.views) if (view.isForgotten) return false
      this.#viewChanges = views.changes
    }
    return true
  }

  /** Called once each of the views, relations, blocks and labels was found to be the same. */
  renew({ views, viewer, blocks, labels }: SeenBy): void {
    this.#generation = views.generation
    this.#viewChanges = views.changes
    this.#viewer = viewer.version
    this.#blocks = blocks.changes
    this.#labels = labels
    this.#labelled = labels?.version ?? 0
  }
}
