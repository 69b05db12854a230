// Merged feeds (data/store/timelines/merged-feed.ts) that read only what is not cached. Cached are the heads of lists,
// and the CIDs of items that are about to be presented or just were.

import type { Db } from '../../data/store/db.ts'
import type { KeptHeads } from '../../data/store/timelines/kept-heads.ts'
import { createMergedFeed, type MergedFeed } from '../../data/store/timelines/merged-feed.ts'
import { CACHED } from './cached-view.ts'
import type { CachedViews } from './cached-views.ts'

export function keptFeed(
  db: Db,
  {
    kept,
    heads,
    takeInvalidations,
  }: { kept: CachedViews; heads: KeptHeads; takeInvalidations: () => void },
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
    cidsOf(items) {
      takeInvalidations()
      const cids = new Map<number, string>()
      for (const item of items) {
        const cid = kept.get(CACHED.item, item)?.facts?.cid
        if (cid) cids.set(item, cid)
      }
      if (cids.size === items.length) return cids
      const uncached = items.filter((item) => !cids.has(item))
      return new Map([...cids, ...feed.cidsOf(uncached)])
    },
  }
}
