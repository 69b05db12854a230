// app.bsky.feed.threadgate and postgate: two tables with the same columns. A gate has its post's creator and
// record key, so the post's id is its key.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase, returning } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

export const gateTables = ['threadgates', 'postgates'] as const

export type GateTable = (typeof gateTables)[number]

type GateRow = {
  post: number
  cid: Buffer
  rev: string | null
  record: Buffer
  indexed_at: number
}

type Found = { cid: Buffer; rev: string | null; record: Buffer }

function prepareTable(db: WriteDb, table: GateTable) {
  return {
    find: db.prepare<[number], Found>(`SELECT cid, rev, record FROM ${table} WHERE post = ?`),
    put: db.prepare<[GateRow]>(
      `INSERT OR REPLACE INTO ${table} (post, cid, rev, record, indexed_at) VALUES (@post, @cid, @rev, @record, @indexed_at)`,
    ),
    remove: db.prepare<[number]>(`DELETE FROM ${table} WHERE post = ?`),
    removeAll: returning(
      db
        .prepare<[number], number>(
          `DELETE FROM ${table} WHERE post IN (SELECT id FROM posts WHERE uid = ?) RETURNING post`,
        )
        .pluck(),
    ),
  }
}

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  threadgates: prepareTable(db, 'threadgates'),
  postgates: prepareTable(db, 'postgates'),
}))

export function findGate(db: Db, table: GateTable, post: number): Found | undefined {
  return statements(db)[table].find.get(post)
}

export function putGate(db: WriteDb, table: GateTable, row: GateRow): void {
  const { [table]: gates, invalidations } = statements(db)
  gates.put.run(row)
  invalidations.add(INVALIDATION.post, row.post)
}

export function deleteGate(db: WriteDb, table: GateTable, post: number): boolean {
  const { [table]: gates, invalidations } = statements(db)
  invalidations.add(INVALIDATION.post, post)
  return gates.remove.run(post).changes > 0
}

/** All gates of this account's posts. */
export function deleteGatesOf(db: WriteDb, table: GateTable, uid: number): void {
  const { [table]: gates, invalidations } = statements(db)
  for (const post of gates.removeAll.all(uid)) invalidations.add(INVALIDATION.post, post)
}
