// Answers from kept, pre-serialised cached views: what the handlers see of this room.
//
// A view is made once for every viewer (make-views.ts), as JSON with slots, and kept until
// something that it was made of changes (cached-views.ts); the slots are filled from what is known of
// the viewer (viewer-memory.ts) and from smaller cached views (page.ts). What is lacking is loaded batched
// by the usual hydration, so a page costs a few statements at first and none later. What can't be made
// for everyone (lists, blocks in the middle of a view) takes the slow path, item by item: hydration,
// rules and views for this viewer, as if this room did not exist. Both say the same; a test holds them
// to it over random histories.
//
// Nothing here is out of date: whatever writes rows says what it touched (data/shared-memory/invalidation-ring.ts), every
// call takes the invalidations first (forget.ts), and there is no waiting in between. Without a ring of invalidations
// nothing is kept from call to call.
//
// To add a kind of view: a number in CACHED, a line in make-views.ts, a function here. What it
// depends on is watched. To add to what a post or a profile says about its viewer: a field in
// answers/views/post-viewer.ts or profile-viewer.ts and its column in answers/hydrate/; who changes it invalidates `reaction`
// or `relation`. Something new that changes often: a kind of slot, a line in page.ts that fills it, a line in
// forget.ts.
//
// Cached views know nothing of labels by labelers. What those say whose labels the request takes into
// account (label-memory.ts) is put in where a view shows labels; whatever they may have acted upon takes
// the slow path, which also hides what was taken down.

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

export type ViewCache = ReturnType<typeof createViewCache>

export function createViewCache(parts: ViewCacheParts) {
  const { hydrator, invalidations } = parts
  const kept = new CachedViews(parts.maxBytes * VIEW_CACHE_SHARE)
  const viewers = new ViewerMemories(parts.maxBytes * (1 - VIEW_CACHE_SHARE))
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
  }
}
