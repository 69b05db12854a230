// The way up a thread, as cheap as it can be: every reply asks it.

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

type PostAbove = [uid: number, parent: number | null]

const select = perDatabase((db) =>
  db.prepare<[number], PostAbove>('SELECT uid, parent FROM posts WHERE id = ?').raw(),
)

/** Whose post this is, and what it answers. Undefined where there is no such row. */
export function postAbove(db: Db, id: number): PostAbove | undefined {
  return select(db).get(id) as PostAbove | undefined
}
