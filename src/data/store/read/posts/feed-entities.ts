// Content of posts and reposts, for endpoints that return records rather than views.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { recordColumn, recordText } from '../../posts/record-bytes.ts'
import { isRepostItem, postItem, repostItem, rowIdOf } from '../../timelines/item-ids.ts'
import { type Db, idList } from '../id-list.ts'

export type FeedEntity = {
  uid: number
  rkey: PackedRkey
  cid: Buffer
  /** Milliseconds, as in the record; its sort time if the record has none. */
  createdAt: number
  /** JSON; of posts only. */
  record: string | undefined
  isReply: boolean
  /** The reposted post. */
  subject: { uid: number; rkey: PackedRkey } | undefined
}

/** By item; missing items are omitted. */
export type FeedEntities = (items: readonly number[]) => Map<number, FeedEntity>

type PostRow = [
  id: number,
  uid: number,
  createdAt: number,
  rkey: PackedRkey,
  cid: Buffer,
  isReply: number,
  record: Buffer | string | null,
]

type RepostRow = [
  id: number,
  uid: number,
  createdAt: number,
  rkey: PackedRkey,
  cid: Buffer,
  subjectUid: number,
  subjectRkey: PackedRkey,
]

export function prepareFeedEntities(db: Db): FeedEntities {
  const posts = db
    .prepare<[string], PostRow>(
      `SELECT p.id, p.uid, coalesce(p.created_at, p.sort_at), p.rkey, p.cid, p.parent IS NOT NULL,
        ${recordColumn('p.record')}
      FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value WHERE p.state = 1`,
    )
    .raw()
  const reposts = db
    .prepare<[string], RepostRow>(
      `SELECT r.id, r.uid, r.created_at, r.rkey, r.cid, p.uid, p.rkey FROM json_each(?) ids
      CROSS JOIN reposts r ON r.id = ids.value CROSS JOIN posts p ON p.id = r.subject`,
    )
    .raw()
  return (items) => {
    const found = new Map<number, FeedEntity>()
    const [postIds, repostIds] = apart(items)
    if (postIds.length > 0) {
      for (const row of posts.all(idList(postIds))) found.set(postItem(row[0]), ofPost(row))
    }
    if (repostIds.length > 0) {
      for (const row of reposts.all(idList(repostIds))) found.set(repostItem(row[0]), ofRepost(row))
    }
    return found
  }
}

function apart(items: readonly number[]): [posts: number[], reposts: number[]] {
  return [
    items.filter((item) => !isRepostItem(item)).map(rowIdOf),
    items.filter(isRepostItem).map(rowIdOf),
  ]
}

function ofPost([, uid, createdAt, rkey, cid, isReply, record]: PostRow): FeedEntity {
  return {
    uid,
    rkey,
    cid,
    createdAt,
    record: recordText(record) ?? undefined,
    isReply: isReply === 1,
    subject: undefined,
  }
}

function ofRepost(row: RepostRow): FeedEntity {
  const [, uid, createdAt, rkey, cid, subjectUid, subjectRkey] = row
  const subject = { uid: subjectUid, rkey: subjectRkey }
  return { uid, rkey, cid, createdAt, record: undefined, isReply: false, subject }
}
