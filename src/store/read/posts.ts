// Posts with their counts, many at a time; stubs and deleted posts too, without a record.

import type { PackedRkey } from '../keys.ts'
import { type Db, idList } from './id-list.ts'

export type PostKeyRow = { id: number; uid: number; rkey: PackedRkey; state: number }

export type PostRow = PostKeyRow & {
  /** These three are null unless `state` is PRESENT. */
  cid: Buffer | null
  record: string | null
  sortAt: number | null
  root: number | null
  parent: number | null
  quote: number | null
  flags: number
  likes: number
  reposts: number
  replies: number
  quotes: number
}

const POSTS = /* sql */ `
SELECT p.id, p.uid, p.rkey, p.state, p.cid, CAST(p.record AS TEXT) AS record,
  p.sort_at AS sortAt, p.root, p.parent, p.quote, p.flags,
  coalesce(c.likes, 0) AS likes, coalesce(c.reposts, 0) AS reposts,
  coalesce(c.replies, 0) AS replies, coalesce(c.quotes, 0) AS quotes
FROM json_each(?) ids
CROSS JOIN posts p ON p.id = ids.value
LEFT JOIN post_counts c ON c.post = p.id`

const KEYS = /* sql */ `
SELECT p.id, p.uid, p.rkey, p.state FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value`

export function preparePosts(db: Db): (ids: Iterable<number>) => PostRow[] {
  const select = db.prepare<[string], PostRow>(POSTS)
  return (ids) => select.all(idList(ids))
}

/** Only whose they are: for posts that are pointed at but not shown. */
export function preparePostKeys(db: Db): (ids: Iterable<number>) => PostKeyRow[] {
  const select = db.prepare<[string], PostKeyRow>(KEYS)
  return (ids) => select.all(idList(ids))
}
