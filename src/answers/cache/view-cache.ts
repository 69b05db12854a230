// Answers from pre-serialised cached views: the interface that handlers use. A view is made once for all
// viewers (make-views.ts), as JSON with slots, and kept until one of its sources changes (cached-views.ts);
// the slots are filled from the viewer's relationships (viewer-memory.ts) and from smaller cached views
// (page.ts). How it fits together, and how to add to it: src/answers/README.md.

import type { InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../data/store/db.ts'
import { CachedHeads } from '../../data/store/timelines/cached-heads.ts'
import { createMergedFeed, type MergedFeed } from '../../data/store/timelines/merged-feed.ts'
import type { Hydrator, PostOptions } from '../hydrate/hydrator-types.ts'
import { LikerLists } from '../hydrate/known-likers.ts'
import type { Reader } from '../hydrate/reader.ts'
import type { AccountPair, BlockedPairs } from '../hydrate/types.ts'
import type { ReadyJson } from '../views/json/ready-json.ts'
import { type CachedPage, CachedPages } from './cached-pages.ts'
import { CACHED, type ItemFacts } from './cached-view.ts'
import { CachedViews } from './cached-views.ts'
import { forgetInvalidated } from './forget.ts'
import { itemFacts } from './item-facts.ts'
import { KnownBlocks } from './known-blocks.ts'
import { LabelMemories } from './label-memory.ts'
import {
  type ItemOptions,
  isUsual,
  type ProfileOptions,
  presentFast,
  type Ways,
  writeItem,
  writePost,
  writeProfile,
} from './present.ts'
import { presentItems, presentPosts, presentProfiles } from './slow-path.ts'
import { ViewerMemories } from './viewer-memory.ts'

type ViewCacheContext = {
  hydrator: Hydrator
  /** Undefined: nothing is cached. */
  invalidations: InvalidationReader | undefined
  /** Limit for everything cached, as estimated. */
  maxBytes: number
}

/** Shares of cached views, viewers' relationships to accounts and posts, and whole pages. */
const SHARES = { views: 0.55, viewers: 0.25, pages: 0.2 }

function shared(bytes: number): typeof SHARES {
  const { views, viewers, pages } = SHARES
  return { views: bytes * views, viewers: bytes * viewers, pages: bytes * pages }
}

export type ViewCache = ReturnType<typeof createViewCache>

/** What its owner monitors, resizes and keeps up to date. */
export type WatchedCache = Pick<ViewCache, 'usage' | 'limitTo' | 'takeInvalidations'>

export function createViewCache(context: ViewCacheContext) {
  const { hydrator, invalidations } = context
  const most = shared(context.maxBytes)
  const views = new CachedViews(most.views)
  const viewers = new ViewerMemories(most.viewers)
  const blocks = new KnownBlocks(hydrator)
  const heads = new CachedHeads()
  const labels = new LabelMemories()
  const likers = new LikerLists(hydrator.knownLikers)
  const pages = new CachedPages(invalidations ? most.pages : 0)
  const forget = forgetInvalidated({ views, viewers, blocks, heads, labels, likers })
  const looked = { hits: 0, misses: 0 }

  /** Before each read, and now and then without one: a reader far behind loses everything. */
  function takeInvalidations(): void {
    if (!invalidations?.take(forget.noted)) forget.everything()
    likers.refresh()
  }

  function present(reader: Reader, ids: readonly number[], ways: Ways): (ReadyJson | undefined)[] {
    takeInvalidations()
    const isInStep = invalidations?.isInStep ?? true
    const cached = { hydrator, views, viewers, labels, likers, blocks, isInStep, looked }
    return presentFast(cached, reader, ids, ways)
  }

  /** Whether the page would be written in the same way now, from the same items. */
  function isCurrent({ sources }: CachedPage, reader: Reader): boolean {
    takeInvalidations()
    const { viewer, labelers, now } = reader
    const memory = viewer && viewers.pass(viewer.uid)
    if (!memory || !isUsual(reader)) return false
    const caches = { views, viewer: memory, labels: labels.of(labelers), blocks, likers }
    return sources.areCurrent(caches, now)
  }

  /** The methods return views in the order of `ids`; undefined for items not shown. */
  return {
    /** feedViewPost of each item. */
    items: (items: readonly number[], reader: Reader, options: ItemOptions = {}) =>
      present(reader, items, {
        likersOf: 'roots',
        sources: options.sources,
        fast: (page, item) => writeItem(page, item, options),
        slow: (unfit) => presentItems(hydrator, reader, unfit, options),
      }),

    /** postView of each post without a block between its author and the viewer. */
    posts: (ids: readonly number[], reader: Reader, options: PostOptions = {}) =>
      present(reader, ids, {
        likersOf: options.knownLikers,
        fast: writePost,
        slow: (unfit) => presentPosts(hydrator, reader, unfit, options),
      }),

    profiles: (uids: readonly number[], reader: Reader, options: ProfileOptions = {}) =>
      present(reader, uids, {
        likersOf: undefined,
        fast: (page, uid) => writeProfile(page, uid, options),
        slow: (unfit) => presentProfiles(hydrator, reader, unfit, options),
      }),

    /** The facts that filters need, in the order of `items`. */
    facts(items: readonly number[], reader: Reader): ItemFacts[] {
      takeInvalidations()
      return itemFacts({ hydrator, views, labels }, items, reader)
    },

    /** The pairs of accounts that have a block between them. */
    blocksAmong(pairs: readonly AccountPair[], reader: Reader): BlockedPairs {
      takeInvalidations()
      return blocks.among(pairs, reader)
    },

    /** Merged feeds; reads the rows that are not cached. */
    feedOver: (db: Db) => cachedFeed(db, { views, heads, takeInvalidations }),

    /** Whole pages that are asked for again. */
    pages,
    isCurrent,

    takeInvalidations,
    /** Estimated bytes held; number of elements of answers that were ready, and that were not. */
    usage: () => ({
      viewCache: views.bytes + pages.bytes,
      viewers: viewers.bytes,
      ...looked,
    }),

    /** Changes the limit from now on. */
    limitTo(bytes: number): void {
      const most = shared(bytes)
      views.limitTo(most.views)
      viewers.limitTo(most.viewers)
      pages.limitTo(invalidations ? most.pages : 0)
    },
  }
}

// Merged feeds (data/store/timelines/merged-feed.ts) that read only what is not cached. Cached are the heads of lists,
// and the CIDs of items that are about to be presented or just were.

function cachedFeed(
  db: Db,
  {
    views,
    heads,
    takeInvalidations,
  }: { views: CachedViews; heads: CachedHeads; takeInvalidations: () => void },
): MergedFeed {
  const feed = createMergedFeed(db, heads)
  return {
    heads(originators, until) {
      takeInvalidations()
      return feed.heads(originators, until)
    },
    newest(options) {
      takeInvalidations()
      return feed.newest(options)
    },
    newestInSteps(options) {
      takeInvalidations()
      return feed.newestInSteps(options)
    },
    cidsOf(items) {
      takeInvalidations()
      const cids = new Map<number, string>()
      for (const item of items) {
        const cid = views.get(CACHED.item, item)?.facts?.cid
        if (cid) cids.set(item, cid)
      }
      if (cids.size === items.length) return cids
      const uncached = items.filter((item) => !cids.has(item))
      return new Map([...cids, ...feed.cidsOf(uncached)])
    },
  }
}
