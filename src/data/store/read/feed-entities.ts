// What a post or a repost is, for whoever reads records rather than views. Rows of small scalars come first; keys and
// records, which seldom change, are read apart, by those who have not kept them for the row's version (as in posts.ts).

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { isRepostItem, postItem, repostItem, rowIdOf } from '../item-ids.ts'
import { recordColumn, recordText } from '../record-bytes.ts'
import { type Db, idList } from './id-list.ts'
import { versionOf } from './posts.ts'

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

/** As long as all of it is the same, the entity is. `about`: the parent of a post, or whose post is reposted. */
export type FeedRow = [
  item: number,
  uid: number,
  createdAt: number,
  about: number | null,
  version: string,
  isWithoutRecord: number,
]

export type FeedEntities = {
  /** Of those of the items that are here. */
  rows(items: readonly number[]): FeedRow[]
  /** By item. */
  entities(rows: readonly FeedRow[]): Map<number, FeedEntity>
}

type PostText = [id: number, rkey: PackedRkey, cid: Buffer, record: Buffer | string | null]
type RepostText = [id: number, rkey: PackedRkey, cid: Buffer, subjectRkey: PackedRkey]

export function prepareFeedEntities(db: Db): FeedEntities {
  const statements = prepare(db)
  return {
    rows(items) {
      const [posts, reposts] = apart(items)
      const found: FeedRow[] = []
      if (posts.length > 0) {
        for (const row of statements.posts.all(idList(posts))) found.push(named(row, postItem))
      }
      if (reposts.length > 0) {
        for (const row of statements.reposts.all(idList(reposts)))
          found.push(named(row, repostItem))
      }
      return found
    },
    entities(rows) {
      const known = new Map(rows.map((row) => [row[0], row]))
      const [posts, reposts] = apart([...known.keys()])
      const found = new Map<number, FeedEntity>()
      if (posts.length > 0) {
        for (const text of statements.postTexts.all(idList(posts))) {
          const item = postItem(text[0])
          found.set(item, ofPost(known.get(item)!, text))
        }
      }
      if (reposts.length > 0) {
        for (const text of statements.repostTexts.all(idList(reposts))) {
          const item = repostItem(text[0])
          found.set(item, ofRepost(known.get(item)!, text))
        }
      }
      return found
    },
  }
}

function prepare(db: Db) {
  const reposted = 'CROSS JOIN reposts r ON r.id = ids.value CROSS JOIN posts p ON p.id = r.subject'
  return {
    posts: db
      .prepare<[string], FeedRow>(
        `SELECT p.id, p.uid, coalesce(p.created_at, p.sort_at), p.parent, ${versionOf('p')},
          p.record IS NULL
        FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value WHERE p.state = 1`,
      )
      .raw(),
    postTexts: db
      .prepare<[string], PostText>(
        `SELECT p.id, p.rkey, p.cid, ${recordColumn('p.record')}
        FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value WHERE p.state = 1`,
      )
      .raw(),
    // A repost's row is never changed.
    reposts: db
      .prepare<[string], FeedRow>(
        `SELECT r.id, r.uid, r.created_at, p.uid, '', 1 FROM json_each(?) ids ${reposted}`,
      )
      .raw(),
    repostTexts: db
      .prepare<[string], RepostText>(
        `SELECT r.id, r.rkey, r.cid, p.rkey FROM json_each(?) ids ${reposted}`,
      )
      .raw(),
  }
}

function apart(items: readonly number[]): [posts: number[], reposts: number[]] {
  return [
    items.filter((item) => !isRepostItem(item)).map(rowIdOf),
    items.filter(isRepostItem).map(rowIdOf),
  ]
}

function named(row: FeedRow, itemOf: (id: number) => number): FeedRow {
  row[0] = itemOf(row[0])
  return row
}

function ofPost([, uid, createdAt, parent]: FeedRow, [, rkey, cid, record]: PostText): FeedEntity {
  return {
    ...{ uid, rkey, cid, createdAt },
    record: recordText(record) ?? undefined,
    isReply: parent !== null,
    subject: undefined,
  }
}

function ofRepost(
  [, uid, createdAt, subjectUid]: FeedRow,
  [, rkey, cid, subjectRkey]: RepostText,
): FeedEntity {
  const subject = { uid: subjectUid!, rkey: subjectRkey }
  return { uid, rkey, cid, createdAt, record: undefined, isReply: false, subject }
}
