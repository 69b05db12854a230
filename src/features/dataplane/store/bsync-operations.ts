// The stream of bsync writes, in order. It is bounded: readers must store what they need.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

const BSYNC_STREAMS = { mutes: 1, notifications: 2, others: 3 } as const
export type BsyncStream = keyof typeof BSYNC_STREAMS

type NewOperation = { did: string; namespace: string; operation: Uint8Array }
type Row = { id: number; operation: Buffer }

/** Limit for all streams together; drafts are the largest operations, some kilobytes each. */
const MAX_OPERATIONS = 50_000

const statements = perDatabase((db) => ({
  append: db.prepare<[number, string, string, Uint8Array]>(
    'INSERT INTO bsync_operations (stream, did, namespace, operation) VALUES (?, ?, ?, ?)',
  ),
  prune: db.prepare<[number | bigint]>('DELETE FROM bsync_operations WHERE id <= ?'),
  after: db.prepare<[number, number, number], Row>(
    'SELECT id, operation FROM bsync_operations WHERE stream = ? AND id > ? ORDER BY id LIMIT ?',
  ),
  remove: db.prepare<[string, string]>(
    'DELETE FROM bsync_operations WHERE did = ? AND namespace = ?',
  ),
  removeAll: db.prepare<[string]>('DELETE FROM bsync_operations WHERE did = ?'),
  count: db
    .prepare<[string, string], number>(
      'SELECT count(*) FROM bsync_operations WHERE did = ? AND namespace = ?',
    )
    .pluck(),
}))

export function appendOperation(
  db: WriteDb,
  stream: BsyncStream,
  { did, namespace, operation }: NewOperation,
  max = MAX_OPERATIONS,
): void {
  const { append, prune } = statements(db)
  const { lastInsertRowid } = append.run(BSYNC_STREAMS[stream], did, namespace, operation)
  prune.run(Number(lastInsertRowid) - max)
}

/** Oldest first. */
export function operationsAfter(db: Db, stream: BsyncStream, id: number, limit: number): Row[] {
  return statements(db).after.all(BSYNC_STREAMS[stream], id, limit)
}

export function countOperations(db: Db, did: string, namespace: string): number {
  return statements(db).count.get(did, namespace) ?? 0
}

/** @param namespace - all if omitted */
export function deleteOperations(db: WriteDb, did: string, namespace?: string): void {
  if (namespace === undefined) statements(db).removeAll.run(did)
  else statements(db).remove.run(did, namespace)
}
