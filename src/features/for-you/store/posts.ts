// Rows of posts that For You needs: the keys of what a member liked, and what decides whether a post suits them.

import { perDatabase } from '../../../data/store/per-database.ts'
import { PRESENT } from '../../../data/store/posts/posts.ts'
import { recordColumn, recordText } from '../../../data/store/posts/record-bytes.ts'
import { type Db, idList } from '../../../data/store/read/id-list.ts'

type PostRow = { id: number; uid: number; rkey: Buffer | string }

type SuitingRow = { id: number; uid: number; record: Buffer | string | null; isOrphan: number }

export type SuitingPost = {
  uid: number
  record: { langs?: unknown; labels?: unknown; text?: unknown; tags?: unknown }
  /** A reply whose root or parent is not here. */
  isOrphan: boolean
}

const statements = perDatabase((db) => ({
  keys: db.prepare<[string], PostRow>(
    `SELECT p.id, p.uid, p.rkey FROM json_each(?) k CROSS JOIN posts p ON p.id = k.value`,
  ),
  suiting: db.prepare<[string], SuitingRow>(
    `SELECT p.id, p.uid, ${recordColumn('p.record')} AS record,
        p.root IS NOT NULL AND (coalesce(r.state, 0) <> ${PRESENT} OR coalesce(q.state, 0) <> ${PRESENT}) AS isOrphan
      FROM json_each(?) k CROSS JOIN posts p ON p.id = k.value
      LEFT JOIN posts r ON r.id = p.root LEFT JOIN posts q ON q.id = p.parent`,
  ),
}))

export function postKeys(db: Db, ids: Iterable<number>): PostRow[] {
  return statements(db).keys.all(idList(ids))
}

export function suitingPosts(db: Db, ids: Iterable<number>): Map<number, SuitingPost> {
  const rows = statements(db).suiting.all(idList(ids))
  return new Map(
    rows.map(({ id, uid, record, isOrphan }) => {
      const json = recordText(record)
      return [id, { uid, record: json ? JSON.parse(json) : {}, isOrphan: isOrphan === 1 }]
    }),
  )
}
