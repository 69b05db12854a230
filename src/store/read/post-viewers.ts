// What one account did to posts: its likes and reposts of them. Of several likes of one post
// (possible in a repository) the smallest record key wins, so that answers don't flicker.

import type { PackedRkey } from '../keys.ts'
import { type Db, idList } from './id-list.ts'

export type DeedRow = { post: number; rkey: PackedRkey }

export type PostViewerReader = {
  likes(uid: number, postIds: Iterable<number>): DeedRow[]
  reposts(uid: number, postIds: Iterable<number>): DeedRow[]
}

export function preparePostViewers(db: Db): PostViewerReader {
  const likes = db.prepare<[string, number], DeedRow>(selectFrom('likes'))
  const reposts = db.prepare<[string, number], DeedRow>(selectFrom('reposts'))
  return {
    likes: (uid, postIds) => likes.all(idList(postIds), uid),
    reposts: (uid, postIds) => reposts.all(idList(postIds), uid),
  }
}

function selectFrom(table: string): string {
  return /* sql */ `
SELECT d.subject AS post, min(d.rkey) AS rkey
FROM json_each(?) ids CROSS JOIN ${table} d ON d.subject = ids.value AND d.uid = ?
GROUP BY d.subject`
}
