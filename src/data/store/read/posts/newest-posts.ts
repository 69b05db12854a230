import type { Db } from '../../db.ts'
import { perDatabase } from '../../per-database.ts'
import { recordColumn, recordText } from '../../posts/record-bytes.ts'

type Row = { uid: number; sortAt: number; record: Buffer | string | null }

/** `record`: its JSON. */
export type NewestPost = { uid: number; sortAt: number; record: string | null }

const statements = perDatabase((db) => ({
  newest: db
    .prepare<[], number | null>("SELECT seq FROM sqlite_sequence WHERE name = 'posts'")
    .pluck(),
  between: db.prepare<[number, number], Row>(
    `SELECT uid, sort_at AS sortAt, ${recordColumn('record')} AS record
      FROM posts WHERE id <= ? AND id > ? AND state = 1 ORDER BY id DESC`,
  ),
}))

/** posts.id of the newest, which may be deleted; 0 if there was none. */
export function newestPostId(db: Db): number {
  return statements(db).newest.get() ?? 0
}

/** Posts with ids up to `id`, scanning `lookedAt` ids. */
export function* postsDownFrom(db: Db, id: number, lookedAt: number): Generator<NewestPost> {
  for (const { uid, sortAt, record } of statements(db).between.all(id, id - lookedAt)) {
    yield { uid, sortAt, record: recordText(record) }
  }
}
