// Reposts: turns rows into Reposts, cached across requests (cached-rows.ts).

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import type { RepostRow, RepostTextRow } from '../../../data/store/read/posts/reposts.ts'
import { isSameRow } from '../cached-rows.ts'
import type { Loader } from '../page.ts'
import type { Repost } from '../types.ts'

const REPOST = 'app.bsky.feed.repost'
/** Approximate bytes of one Repost. */
const REPOST_BYTES = 500

/** Returns one entry for each id that has a row. */
export function readReposts(loader: Loader, ids: Set<number>): Repost[] {
  const { readers, cachedReposts } = loader
  const found: Repost[] = []
  const unread = readers.reposts.rows(ids).filter((row) => {
    const cached = cachedReposts.find(row[0])
    if (!cached || !isSameRow(cached.row, row)) return true
    found.push(cached.value)
    return false
  })
  if (unread.length === 0) return found
  const texts = new Map(
    readers.reposts.texts(unread.map(([id]) => id)).map((text) => [text[0], text]),
  )
  for (const row of unread) {
    const repost = toRepost(loader, row, texts.get(row[0])!)
    cachedReposts.add(repost.id, row, repost, REPOST_BYTES)
    found.push(repost)
  }
  return found
}

function toRepost(
  loader: Loader,
  [id, uid, subject, sortAt]: RepostRow,
  [, rkey, cid]: RepostTextRow,
): Repost {
  const uri = recordUri(loader.context.actors.didOf(uid), REPOST, rkey)
  return { id, uid, uri, cid: unpackCid(cid), subject, sortAt }
}
