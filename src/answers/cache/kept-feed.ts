// Merged feeds (data/store/merged-feed.ts) that read what is not kept: the heads of lists, and the CIDs of
// items that are about to be presented or just were.

import type { Db } from '../../data/store/db.ts'
import type { KeptHeads } from '../../data/store/kept-heads.ts'
import { createMergedFeed, type MergedFeed } from '../../data/store/merged-feed.ts'
import { FRAGMENT } from './fragment.ts'
import type { KeptFragments } from './kept-fragments.ts'

export function keptFeed(
  db: Db,
  { kept, heads, takeNotes }: { kept: KeptFragments; heads: KeptHeads; takeNotes: () => void },
): MergedFeed {
  const feed = createMergedFeed(db, heads)
  return {
    newest(options) {
      takeNotes()
      return feed.newest(options)
    },
    cidsOf(items) {
      takeNotes()
      const cids = new Map<number, string>()
      for (const item of items) {
        const cid = kept.get(FRAGMENT.item, item)?.facts?.cid
        if (cid) cids.set(item, cid)
      }
      if (cids.size === items.length) return cids
      const lacking = items.filter((item) => !cids.has(item))
      return new Map([...cids, ...feed.cidsOf(lacking)])
    },
  }
}
