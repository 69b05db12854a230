// Replies by the owner of the thread that they are in: of these its line is made, see
// answers/skeleton/op-thread.ts. A deleted one stays, with the moment of its deletion.

import type { WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

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

/** Nothing happens where it is no such reply. */
export function removeOpReply(
  db: WriteDb,
  { root, post }: Pick<OpReply, 'root' | 'post'>,
  deletedAt: number,
): void {
  statements(db).remove.run(deletedAt, root, post)
}
