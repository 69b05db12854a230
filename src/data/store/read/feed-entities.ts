// What a post or a repost is, for whoever reads records rather than views.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { isRepostItem, postItem, repostItem, rowIdOf } from '../item-ids.ts'
import { recordColumn, recordText } from '../record-bytes.ts'
import { type Db, idList } from './id-list.ts'

export type FeedEntity = {
  uid: number
  rkey: PackedRkey
  cid: Buffer
  /** Milliseconds, as the record says; its place in time where it does not say. */
  createdAt: number
  /** JSON; of posts only. */
  record: string | undefined
  isReply: boolean
  /** The post that is reposted. */
  subject: { uid: number; rkey: PackedRkey } | undefined
}

type PostRow = [
  id: number,
  uid: number,
  rkey: PackedRkey,
  cid: Buffer,
  createdAt: number,
  parent: number | null,
  record: Buffer | string | null,
]
type RepostRow = [
  id: number,
  uid: number,
  rkey: PackedRkey,
  cid: Buffer,
  createdAt: number,
  subjectUid: number,
  subjectRkey: PackedRkey,
]

/** @returns reads those of the items that are here. */
export function prepareFeedEntities(db: Db): (items: readonly number[]) => Map<number, FeedEntity> {
  const posts = db
    .prepare<[string], PostRow>(
      `SELECT p.id, p.uid, p.rkey, p.cid, coalesce(p.created_at, p.sort_at), p.parent,
        ${recordColumn('p.record')}
      FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value WHERE p.state = 1`,
    )
    .raw()
  const reposts = db
    .prepare<[string], RepostRow>(
      `SELECT r.id, r.uid, r.rkey, r.cid, r.created_at, p.uid, p.rkey
      FROM json_each(?) ids CROSS JOIN reposts r ON r.id = ids.value
      CROSS JOIN posts p ON p.id = r.subject`,
    )
    .raw()
  return (items) => {
    const found = new Map<number, FeedEntity>()
    const postIds = items.filter((item) => !isRepostItem(item)).map(rowIdOf)
    const repostIds = items.filter(isRepostItem).map(rowIdOf)
    if (postIds.length > 0) {
      for (const row of posts.all(idList(postIds))) found.set(postItem(row[0]), ofPost(row))
    }
    if (repostIds.length > 0) {
      for (const row of reposts.all(idList(repostIds))) found.set(repostItem(row[0]), ofRepost(row))
    }
    return found
  }
}

function ofPost([, uid, rkey, cid, createdAt, parent, record]: PostRow): FeedEntity {
  return {
    ...{ uid, rkey, cid, createdAt },
    record: recordText(record) ?? undefined,
    isReply: parent !== null,
    subject: undefined,
  }
}

function ofRepost([, uid, rkey, cid, createdAt, subjectUid, subjectRkey]: RepostRow): FeedEntity {
  const subject = { uid: subjectUid, rkey: subjectRkey }
  return { uid, rkey, cid, createdAt, record: undefined, isReply: false, subject }
}
