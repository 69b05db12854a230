// app.bsky.graph.listitem: the accounts on a list. The list's row counts accounts: one may be on it twice.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { type RecordRow, type RecordRows, recordRows } from './record-rows.ts'

const rows = recordRows('list_items')

const statements = perDatabase((db) => ({
  count: db.prepare<[number, number]>('UPDATE lists SET people = people + ? WHERE id = ?'),
  empty: db.prepare<[number]>('UPDATE lists SET people = 0 WHERE id = ?'),
  contains: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM list_items WHERE list = ? AND subject = ? LIMIT 1',
    )
    .pluck(),
}))

export const listItems: RecordRows<'list_items'> = {
  ...rows,
  insert(db, row) {
    count(db, row, 1)
    rows.insert(db, row)
  },
  remove(db, uid, rkey: PackedRkey) {
    const row = rows.remove(db, uid, rkey)
    if (row) count(db, row, -1)
    return row
  },
  /** Only a list's creator may add to it, so those lists become empty. */
  removeAll(db, uid) {
    const removed = rows.removeAll(db, uid)
    for (const list of new Set(removed.map(({ list }) => list))) statements(db).empty.run(list)
    return removed
  },
}

/** Called while the row is not there. */
function count(db: WriteDb, { list, subject }: RecordRow<'list_items'>, change: number): void {
  if (!isOnList(db, list, subject)) statements(db).count.run(change, list)
}

export function isOnList(db: Db, list: number, subject: number): boolean {
  return statements(db).contains.get(list, subject) !== undefined
}
