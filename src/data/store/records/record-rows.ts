// The rows of a plain table (record-tables.ts): one for each record, found by account and key.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase, returning } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'
import { type PlainTable, plainTables } from './record-tables.ts'
import { deleteRelationRecord, deleteRelationRecordsOf } from './relation-records.ts'

/** The columns that name something. */
export type Named<Table extends PlainTable> = Record<
  keyof (typeof plainTables)[Table]['names'],
  number
>

export type RecordRow<Table extends PlainTable> = Named<Table> & {
  uid: number
  rkey: PackedRkey
  sort_at: number
}

export type RecordRows<Table extends PlainTable> = {
  readonly table: Table
  find(db: Db, uid: number, rkey: PackedRkey): RecordRow<Table> | undefined
  /** Its key must be free. */
  insert(db: WriteDb, row: RecordRow<Table>): void
  /** @returns the row as it was, if there was one */
  remove(db: WriteDb, uid: number, rkey: PackedRkey): RecordRow<Table> | undefined
  removeAll(db: WriteDb, uid: number): RecordRow<Table>[]
  /** Of one account, ascending by key. */
  page(db: Db, uid: number, page: { after: PackedRkey; limit: number }): RecordRow<Table>[]
  /** Some that name this, in no order. */
  someNaming(db: Db, column: keyof Named<Table>, id: number, limit: number): RecordRow<Table>[]
}

export function recordRows<Table extends PlainTable>(table: Table): RecordRows<Table> {
  type Row = RecordRow<Table>
  const { collection } = plainTables[table]
  const named = Object.keys(plainTables[table].names)
  const columns = ['uid', 'rkey', ...named, 'sort_at']
  const invalidates = Object.entries<string>(plainTables[table].invalidates).map(
    ([kind, column]) => ({
      kind: INVALIDATION[kind as keyof typeof INVALIDATION],
      column: column as keyof Row,
    }),
  )
  const select = `SELECT ${columns.join(', ')} FROM ${table}`
  const statements = perDatabase((db) => ({
    invalidations: invalidationsOf(db),
    find: db.prepare<[number, PackedRkey], Row>(`${select} WHERE uid = ? AND rkey = ?`),
    insert: db.prepare<[Row]>(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`,
    ),
    remove: returning(
      db.prepare<[number, PackedRkey], Row>(
        `DELETE FROM ${table} WHERE uid = ? AND rkey = ? RETURNING *`,
      ),
    ),
    removeAll: returning(
      db.prepare<[number], Row>(`DELETE FROM ${table} WHERE uid = ? RETURNING *`),
    ),
    page: db.prepare<[number, PackedRkey, number], Row>(
      `${select} WHERE uid = +? AND rkey > +? ORDER BY rkey LIMIT +?`,
    ),
    naming: new Map(
      named.map((column) => [
        column,
        db.prepare<[number, number], Row>(`${select} WHERE ${column} = ? LIMIT +?`),
      ]),
    ),
  }))

  function invalidate(db: WriteDb, row: Row): void {
    const { invalidations } = statements(db)
    for (const { kind, column } of invalidates) invalidations.add(kind, row[column] as number)
  }

  return {
    table,
    find: (db, uid, rkey) => statements(db).find.get(uid, rkey),
    insert(db, row) {
      statements(db).insert.run(row)
      invalidate(db, row)
    },
    remove(db, uid, rkey) {
      const row = statements(db).remove.get(uid, rkey)
      if (!row) return undefined
      deleteRelationRecord(db, { uid, collection, rkey })
      invalidate(db, row)
      return row
    },
    removeAll(db, uid) {
      const rows = statements(db).removeAll.all(uid)
      deleteRelationRecordsOf(db, uid, collection)
      for (const row of rows) invalidate(db, row)
      return rows
    },
    page: (db, uid, { after, limit }) => statements(db).page.all(uid, after, limit),
    someNaming: (db, column, id, limit) =>
      statements(db).naming.get(String(column))!.all(id, limit),
  }
}
