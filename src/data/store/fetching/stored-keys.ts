// Record keys of one account that we store, page by page, to compare with the listing of its repository. In
// arbitrary order, about `size` per page; the connection is free between pages, and rows may change.

import {
  type AssociatedCollection,
  collectionCodes,
  type RecordCollection,
} from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db } from '../db.ts'
import type { EdgeTable } from '../edges/edge-table.ts'
import { perDatabase } from '../per-database.ts'
import { type GateTable, gateTables } from '../posts/gates.ts'
import { type RecordTable, recordTables } from '../records/record-tables.ts'

type Of = { uid: number; size: number }

const ownTable = (table: string, condition = '') =>
  `SELECT rkey FROM ${table} WHERE uid = +? AND rkey > +? ${condition} ORDER BY rkey LIMIT +?`

const gateTable = (table: GateTable) =>
  `SELECT posts.rkey FROM posts JOIN ${table} ON ${table}.post = posts.id
    WHERE posts.uid = +? AND posts.rkey > +? ORDER BY posts.rkey LIMIT +?`

type OwnTable = RecordTable | 'profiles' | 'posts'

/** Of tables where not every row is a record that is here, or has a key. */
const queries: { [Table in OwnTable]?: string } = {
  profiles: "SELECT 'self' FROM profiles WHERE uid = +? AND 'self' > +? ORDER BY 1 LIMIT +?",
  posts: ownTable('posts', 'AND state = 1'),
  lists: ownTable('lists', 'AND cid IS NOT NULL'),
}

const prepare = (db: Db, sql: string) =>
  db.prepare<[number, PackedRkey, number], PackedRkey>(sql).pluck()

const statements = perDatabase((db) => ({
  ofTable: new Map<string, ReturnType<typeof prepare>>([
    ...Object.keys(recordTables).map((table) => [table, prepare(db, ownTable(table))] as const),
    ...Object.entries(queries).map(([table, sql]) => [table, prepare(db, sql)] as const),
    ...gateTables.map((table) => [table, prepare(db, gateTable(table))] as const),
  ]),
  records: db
    .prepare<[number, PackedRkey, number, number], PackedRkey>(
      ownTable('records', 'AND collection = +? AND cid IS NOT NULL'),
    )
    .pluck(),
  associated: db
    .prepare<[number, PackedRkey, number, number], PackedRkey>(
      `SELECT DISTINCT rkey FROM associated_records WHERE uid = +? AND rkey > +? AND collection = +?
        AND record IS NOT NULL ORDER BY rkey LIMIT +?`,
    )
    .pluck(),
  itemsOfList: db
    .prepare<[number, number, PackedRkey, number], PackedRkey>(
      'SELECT rkey FROM list_items WHERE uid = +? AND list = +? AND rkey > +? ORDER BY rkey LIMIT +?',
    )
    .pluck(),
  rkeyOfList: db.prepare<[number], PackedRkey>('SELECT rkey FROM lists WHERE id = ?').pluck(),
}))

export function keysIn(table: OwnTable | GateTable) {
  return (db: Db, { uid, size }: Of): Generator<PackedRkey[]> => {
    const select = statements(db).ofTable.get(table)!
    return pagesOf(size, (after) => select.all(uid, after, size))
  }
}

/** Keys of records of the rare kinds. */
export function keysOfRecords(collection: RecordCollection) {
  const code = collectionCodes[collection]
  return (db: Db, { uid, size }: Of): Generator<PackedRkey[]> => {
    const { records } = statements(db)
    return pagesOf(size, (after) => records.all(uid, after, code, size))
  }
}

/** Keys of records that link cards name and of which a version is here. */
export function keysOfAssociated(collection: AssociatedCollection) {
  const code = collectionCodes[collection]
  return (db: Db, { uid, size }: Of): Generator<PackedRkey[]> => {
    const { associated } = statements(db)
    return pagesOf(size, (after) => associated.all(uid, after, code, size))
  }
}

export function keysOfEdges(table: EdgeTable) {
  return function* (db: Db, { uid, size }: Of): Generator<PackedRkey[]> {
    const pointers = table.pointersOf(db, uid)
    for (let start = 0; start < pointers.length; start += size) {
      const page = pointers.slice(start, start + size)
      yield page.flatMap((pointer) => table.resolve(db, uid, pointer)).map(({ rkey }) => rkey)
    }
  }
}

/** Keys of the items of one list. */
export function storedListItems(db: Db, list: number, { uid, size }: Of): Generator<PackedRkey[]> {
  const { itemsOfList } = statements(db)
  return pagesOf(size, (after) => itemsOfList.all(uid, list, after, size))
}

function* pagesOf(
  size: number,
  readAfter: (after: PackedRkey) => PackedRkey[],
): Generator<PackedRkey[]> {
  for (let after: PackedRkey = ''; ; ) {
    const page: PackedRkey[] = readAfter(after)
    yield page
    if (page.length < size) return
    after = page.at(-1)!
  }
}

/** undefined if there is no such list. */
export function rkeyOfList(db: Db, list: number): PackedRkey | undefined {
  return statements(db).rkeyOfList.get(list)
}
