// How far this node has applied the state that the nodes of a cluster share on an engine, and the latest change
// per key. The keys' data is in its own tables.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

type SharedKey = { key: string; number: number; is_gone: 0 | 1 }

const statements = perDatabase((db) => ({
  version: db
    .prepare<[string], number>('SELECT version FROM shared_places WHERE place = ?')
    .pluck(),
  setVersion: db.prepare<[string, number]>('INSERT OR REPLACE INTO shared_places VALUES (?, ?)'),
  dropClusters: db.prepare<[]>('DELETE FROM shared_places'),
  find: db.prepare<[string], SharedKey>('SELECT * FROM shared_keys WHERE key = ?'),
  put: db.prepare<[string, number, 0 | 1]>('INSERT OR REPLACE INTO shared_keys VALUES (?, ?, ?)'),
  drop: db.prepare<[string]>('DELETE FROM shared_keys WHERE key = ?'),
  dropAll: db.prepare<[]>('DELETE FROM shared_keys'),
  all: db.prepare<[], SharedKey>('SELECT * FROM shared_keys'),
  standing: db
    .prepare<[string, string], number>(
      'SELECT count(*) FROM shared_keys WHERE key >= ? AND key < ? AND is_gone = 0',
    )
    .pluck(),
  dropGone: db.prepare<[number]>('DELETE FROM shared_keys WHERE is_gone = 1 AND number <= ?'),
  known: db.prepare<[], string>('SELECT place FROM shared_places').pluck(),
  gone: db.prepare<[], SharedKey>(
    'SELECT * FROM shared_keys WHERE is_gone = 1 ORDER BY number LIMIT 11000',
  ),
}))

/** Number of the latest change applied; undefined if none of that engine ever was. */
export function clusterVersion(db: Db, clusterId: string): number | undefined {
  return statements(db).version.get(clusterId)
}

/** Drops everything known of another engine. */
export function beginCluster(db: WriteDb, clusterId: string): void {
  const { version, dropClusters, dropAll, setVersion } = statements(db)
  if (version.get(clusterId) !== undefined) return
  dropClusters.run()
  dropAll.run()
  setVersion.run(clusterId, 0)
}

export function setClusterVersion(db: WriteDb, clusterId: string, version: number): void {
  statements(db).setVersion.run(clusterId, version)
}

export function findSharedKey(db: Db, key: string): SharedKey | undefined {
  return statements(db).find.get(key)
}

/** Whether the key exists and is not deleted. */
export function stands(db: Db, key: string): boolean {
  return findSharedKey(db, key)?.is_gone === 0
}

export function putSharedKey(db: WriteDb, key: string, number: number, isGone: boolean): void {
  statements(db).put.run(key, number, isGone ? 1 : 0)
}

export function dropSharedKey(db: WriteDb, key: string): void {
  statements(db).drop.run(key)
}

export function allSharedKeys(db: Db): SharedKey[] {
  return statements(db).all.all()
}

/** Counts the existing keys that begin with `prefix`, which ends with a colon. */
export function countStanding(db: Db, prefix: string): number {
  return statements(db).standing.get(prefix, prefix.replace(/:$/, ';')) ?? 0
}

/** The oldest deleted keys, a few more than are kept. */
export function goneKeys(db: Db): SharedKey[] {
  return statements(db).gone.all()
}

export function dropGoneKeys(db: WriteDb, until: number): void {
  statements(db).dropGone.run(until)
}

/** The engine that this node last shared with. */
export function knownCluster(db: Db): string | undefined {
  return statements(db).known.get()
}
