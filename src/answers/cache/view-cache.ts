// Answers from kept, pre-serialised cached views: what the handlers see of this room. A view is made once for every
// viewer (make-views.ts), as JSON with slots, and kept until something that it was made of changes
// (cached-views.ts); the slots are filled from what is known of the viewer (viewer-memory.ts) and from smaller
// cached views (page.ts). How it all fits, and how to add to it: src/answers/README.md.

import type { InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../data/store/db.ts'
import { KeptHeads } from '../../data/store/kept-heads.ts'
import type { Hydrator } from '../hydrate/hydrator-types.ts'
import type { Reader } from '../hydrate/reader.ts'
import type { AccountPair, BlockedPairs } from '../hydrate/types.ts'
import type { ItemFacts } from './cached-view.ts'
import { CachedViews } from './cached-views.ts'
import { forgetInvalidated } from './forget.ts'
import { itemFacts } from './item-facts.ts'
import { keptFeed } from './kept-feed.ts'
import { KnownBlocks } from './known-blocks.ts'
import { LabelMemories } from './label-memory.ts'
import { presentFast, type Ways } from './present.ts'
import { presentItems, presentPosts, presentProfiles } from './slow-path.ts'
import { ViewerMemories } from './viewer-memory.ts'
import {
  type ItemOptions,
  type ProfileOptions,
  writeItem,
  writePost,
  writeProfile,
} from './write-one.ts'

type ViewCacheParts = {
  hydrator: Hydrator
  /** Undefined: nothing is kept. */
  invalidations: InvalidationReader | undefined
  /** Of everything kept, as estimated. */
  maxBytes: number
}

/** Of all that is kept; the rest is what viewers are to accounts and did to posts. */
const VIEW_CACHE_SHARE = 2 / 3

function shared(bytes: number): { views: number; viewers: number } {
  return { views: bytes * VIEW_CACHE_SHARE, viewers: bytes * (1 - VIEW_CACHE_SHARE) }
}

export type ViewCache = ReturnType<typeof createViewCache>

export function createViewCache(parts: ViewCacheParts) {
  const { hydrator, invalidations } = parts
  const most = shared(parts.maxBytes)
  const kept = new CachedViews(most.views)
  const viewers = new ViewerMemories(most.viewers)
  const blocks = new KnownBlocks(hydrator)
  const heads = new KeptHeads()
  const labels = new LabelMemories()
  const forget = forgetInvalidated({ kept, viewers, blocks, heads, labels })
  const looked = { hits: 0, misses: 0 }

  function takeInvalidations(): void {
    if (invalidations?.take(forget.noted)) return
    forget.everything()
  }

  function present(reader: Reader, ids: readonly number[], ways: Ways): (string | undefined)[] {
    takeInvalidations()
    return presentFast({ hydrator, kept, viewers, labels, looked }, reader, ids, ways)
  }

  /** What each method below gives: byte text in the order of `ids`, undefined for what is not shown. */
  return {
    /** feedViewPost of each item. */
    items: (items: readonly number[], reader: Reader, options: ItemOptions = {}) =>
      present(reader, items, {
        fast: (page, item) => writeItem(page, item, options),
        slow: (unfit) => presentItems(hydrator, reader, unfit, options),
      }),

    /** postView of each post that is in no block with the viewer. */
    posts: (ids: readonly number[], reader: Reader) =>
      present(reader, ids, {
        fast: writePost,
        slow: (unfit) => presentPosts(hydrator, reader, unfit),
      }),

    profiles: (uids: readonly number[], reader: Reader, options: ProfileOptions = {}) =>
      present(reader, uids, {
        fast: (page, uid) => writeProfile(page, uid, options),
        slow: (unfit) => presentProfiles(hydrator, reader, unfit, options),
      }),

    /** What filters ask of items, in their order. */
    facts(items: readonly number[], reader: Reader): ItemFacts[] {
      takeInvalidations()
      return itemFacts({ hydrator, kept, labels }, items, reader)
    },

    /** Between which of these accounts a block stands. */
    blocksAmong(pairs: readonly AccountPair[], reader: Reader): BlockedPairs {
      takeInvalidations()
      return blocks.among(pairs, reader)
    },

    /** Merged feeds from rows, as far as they are not kept. */
    feedOver: (db: Db) => keptFeed(db, { kept, heads, takeInvalidations }),

    /** Bytes held, as estimated; how many elements of answers were ready, and how many were not. */
    usage: () => ({ viewCache: kept.bytes, viewers: viewers.bytes, ...looked }),

    /** From now on. */
    keepAtMost(bytes: number): void {
      const most = shared(bytes)
      kept.keepAtMost(most.views)
      viewers.keepAtMost(most.viewers)
    },
  }
}
