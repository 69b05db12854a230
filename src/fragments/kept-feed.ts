// Merged feeds (store/merged-feed.ts) that read what is not kept: the heads of lists, and the CIDs of
// items that are about to be presented or just were.

import type { Db } from '../store/db.ts'
import type { KeptHeads } from '../store/kept-heads.ts'
import { createMergedFeed, type MergedFeed } from '../store/merged-feed.ts'
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
      const cids = items.map((item) => kept.get(FRAGMENT.item, item)?.facts?.cid)
      if (cids.some((cid) => !cid)) return feed.cidsOf(items)
      return new Map(items.map((item, i) => [item, cids[i]!]))
    },
  }
}
