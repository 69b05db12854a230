// Replies by the owner of a thread within it: they form the owner's line, see answers/skeleton/op-thread.ts.
// A deleted one stays, with the time of its deletion.

import type { WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type OpReply = { root: number; post: number; parent: number }

const statements = perDatabase((db) => ({
  put: db.prepare<[OpReply]>(
    `INSERT INTO op_replies (root, post, parent) VALUES (@root, @post, @parent)
      ON CONFLICT DO UPDATE SET parent = excluded.parent, deleted_at = NULL`,
  ),
  remove: db.prepare<[number, number, number]>(
    'UPDATE op_replies SET deleted_at = ? WHERE root = ? AND post = ?',
  ),
}))

export function putOpReply(db: WriteDb, reply: OpReply): void {
  statements(db).put.run(reply)
}

/** No-op if the post is no reply by the owner. */
export function removeOpReply(
  db: WriteDb,
  { root, post }: Pick<OpReply, 'root' | 'post'>,
  deletedAt: number,
): void {
  statements(db).remove.run(deletedAt, root, post)
}
