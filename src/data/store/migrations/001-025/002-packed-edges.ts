// Moves likes, follows and blocks from rows with two indexes to packed lists (edges/edge-table.ts). Each kind
// moves in its own transaction, list by list, so that only one account's or one post's list is in memory; a
// kind whose old table is gone has been moved.
//
// The part of a like's `lag` beyond its sortAt, the moment of its arrival, is dropped.

import type Database from 'better-sqlite3'
import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import type { EdgeKind } from '../../edges/chunk.ts'
import { keyHashOf, keyPeriodOf, periodOf } from '../../edges/edge.ts'
import { packEdges, packPointers } from '../../edges/pack-lists.ts'

export const version = 2

const KINDS: readonly EdgeKind[] = ['likes', 'follows', 'blocks']

type OldRow = [uid: number, rkey: PackedRkey, subject: number, sortAt: number, createdAt: number]

export function run(db: Database.Database): void {
  for (const kind of KINDS) if (hasTable(db, kind)) db.transaction(() => move(db, kind))()
}

function move(db: Database.Database, kind: EdgeKind): void {
  // Frees the name for the table.
  db.exec(`ALTER TABLE ${kind} RENAME TO old_edges;
    DROP INDEX ${kind}_by_subject; CREATE INDEX old_edges_by_subject ON old_edges (subject);
    ${tablesOf(kind)}`)
  moveByCreator(db, kind)
  moveBySubject(db, kind)
  db.exec('DROP TABLE old_edges')
}

function moveByCreator(db: Database.Database, kind: EdgeKind): void {
  const select = selectOld(db, kind, 'uid = ? ORDER BY subject')
  const insert = db.prepare(`INSERT INTO ${kind}_by_creator VALUES (?, ?, ?, ?, ?)`)
  for (const creator of owners(db, 'uid')) {
    const pointers = select.all(creator).map(([, rkey, subject, sortAt]) => {
      const key = { keyPeriod: keyPeriodOf(rkey), keyHash: keyHashOf(rkey) }
      return { subject, period: periodOf(sortAt), ...key }
    })
    for (const { first, oldest, newest, bytes } of packPointers(pointers)) {
      insert.run(creator, first, oldest, newest, bytes)
    }
  }
}

function moveBySubject(db: Database.Database, kind: EdgeKind): void {
  const select = selectOld(db, kind, 'subject = ? ORDER BY 4, uid')
  const insert = db.prepare(`INSERT INTO ${kind}_by_subject VALUES (?, ?, ?, ?)`)
  for (const subject of owners(db, 'subject')) {
    const edges = select.all(subject).map(([uid, rkey, , sortAt, createdAt]) => {
      return { uid, rkey, sortAt, createdAt }
    })
    for (const { at, uid, bytes } of packEdges(edges)) insert.run(subject, at, uid, bytes)
  }
}

function selectOld(db: Database.Database, kind: EdgeKind, condition: string) {
  const times =
    kind === 'likes' ? 'max(0, min(created_at, created_at + lag)), created_at' : 'sort_at, sort_at'
  const sql = `SELECT uid, rkey, subject, ${times} FROM old_edges WHERE ${condition}`
  const statement = db.prepare<[number], OldRow>(sql).raw()
  return { all: (owner: number) => statement.all(owner) as unknown as OldRow[] }
}

/** Yields one at a time, so that the connection is free meanwhile. */
function* owners(db: Database.Database, column: 'uid' | 'subject'): Generator<number> {
  const next = db
    .prepare<[number], number | null>(`SELECT min(${column}) FROM old_edges WHERE ${column} > ?`)
    .pluck()
  for (let owner = next.get(-1); owner != null; owner = next.get(owner)) yield owner
}

function hasTable(db: Database.Database, name: string): boolean {
  const found = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  return found.get(name) !== undefined
}

function tablesOf(kind: EdgeKind): string {
  return /* sql */ `
CREATE TABLE ${kind}_by_creator (
  creator INTEGER NOT NULL,           -- actors.uid
  first INTEGER NOT NULL,             -- 0, or subject of the first entry when it was cut
  oldest INTEGER NOT NULL,            -- of the record keys' periods (edges/edge.ts)
  newest INTEGER NOT NULL,
  bytes BLOB NOT NULL,                -- see edges/creator-entries.ts
  PRIMARY KEY (creator, first)
) WITHOUT ROWID;
CREATE TABLE ${kind}_by_subject (
  subject INTEGER NOT NULL,           -- actors.uid; of likes posts.id
  at INTEGER NOT NULL,                -- 0 and 0, or sortAt and account of the first entry
  uid INTEGER NOT NULL,
  bytes BLOB NOT NULL,                -- see edges/subject-entries.ts
  PRIMARY KEY (subject, at, uid)
) WITHOUT ROWID;`
}
