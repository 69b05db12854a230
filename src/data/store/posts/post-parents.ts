// The parent of a post, as cheaply as possible: every reply needs it.

import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type PostAbove = [uid: number, parent: number | null]

const select = perDatabase((db) =>
  db.prepare<[number], PostAbove>('SELECT uid, parent FROM posts WHERE id = ?').raw(),
)

/** The post's author and parent. Undefined if there is no such row. */
export function postAbove(db: Db, id: number): PostAbove | undefined {
  return select(db).get(id) as PostAbove | undefined
}
