// One account's interactions with posts: its likes, reposts and bookmarks, and whether it muted their
// threads. Of several likes of one post (possible in a repository), the smallest record key wins, so that
// answers don't flicker.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { likeEdges } from '../../edges/all-edges.ts'
import { type Db, idList } from '../id-list.ts'

type ActRow = { post: number; rkey: PackedRkey }

type PostViewerReader = {
  likes(uid: number, postIds: Iterable<number>): ActRow[]
  reposts(uid: number, postIds: Iterable<number>): ActRow[]
  /** posts.id of the posts it bookmarked. */
  bookmarks(uid: number, postIds: Iterable<number>): number[]
  /** posts.id of the posts in threads it muted. */
  threadMutes(uid: number, postIds: Iterable<number>): number[]
}

const REPOSTS = /* sql */ `
SELECT d.subject AS post, min(d.rkey) AS rkey
FROM json_each(?) ids CROSS JOIN reposts d ON d.subject = ids.value AND d.uid = ?
GROUP BY d.subject`

const BOOKMARKS = /* sql */ `
SELECT b.post FROM json_each(?) ids CROSS JOIN bookmarks b ON b.uid = ? AND b.post = ids.value`

/** Hardly any account mutes threads: without mutes, no post is read. */
const THREAD_MUTES = /* sql */ `
SELECT p.id FROM json_each(:ids) ids
CROSS JOIN posts p ON p.id = ids.value
CROSS JOIN thread_mutes m ON m.uid = :uid AND m.root = coalesce(p.root, p.id)
WHERE (SELECT EXISTS (SELECT 1 FROM thread_mutes WHERE uid = :uid))`

export function preparePostViewers(db: Db): PostViewerReader {
  const reposts = db.prepare<[string, number], ActRow>(REPOSTS)
  const bookmarks = db.prepare<[string, number], number>(BOOKMARKS).pluck()
  const threadMutes = db.prepare<[{ uid: number; ids: string }], number>(THREAD_MUTES).pluck()
  return {
    likes: (uid, postIds) => likesAmong(db, uid, postIds),
    reposts: (uid, postIds) => reposts.all(idList(postIds), uid),
    bookmarks: (uid, postIds) => bookmarks.all(idList(postIds), uid),
    threadMutes: (uid, postIds) => threadMutes.all({ uid, ids: idList(postIds) }),
  }
}

function likesAmong(db: Db, uid: number, postIds: Iterable<number>): ActRow[] {
  const keys = likeEdges.keysAmong(db, { creator: uid, subjects: postIds })
  return Array.from(keys, ([post, rkey]) => ({ post, rkey }))
}
