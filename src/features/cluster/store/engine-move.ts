// Whether this node's cluster is on an engine, or is being moved there or back (moving/): a node that
// starts or continues alone meanwhile would assign numbers twice.

import { ConfigError } from '../../../base/config/config.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import { findMeta, putMeta, removeMeta } from '../../../data/store/meta-values.ts'
import { perDatabase } from '../../../data/store/per-database.ts'
import { knownCluster } from './shared-cluster.ts'

/** `id`: of this node's move, as the engine knows it (features/cluster/engine/cluster-moves.ts); `clusterId`: of the engine. */
type EngineMove = { place: string; id: string }

const KEY = 'engine.move'

const statements = perDatabase((db) => ({
  leave: ['shared_places', 'shared_keys', 'shared_state', 'shared_timelines'].map((table) =>
    db.prepare<[]>(`DELETE FROM ${table}`),
  ),
  highest: db
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'arrivals'")
    .pluck(),
  raise: db.prepare<[number]>(
    "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'arrivals'",
  ),
  begin: db.prepare<[number]>("INSERT INTO sqlite_sequence (name, seq) VALUES ('arrivals', ?)"),
}))

export function findEngineMove(db: Db): EngineMove | undefined {
  const text = findMeta<string>(db, KEY)
  return text === undefined ? undefined : (JSON.parse(text) as EngineMove)
}

export function putEngineMove(db: WriteDb, move: EngineMove): void {
  putMeta(db, KEY, JSON.stringify(move))
}

/** The engine that owns data which this node may not change alone. */
export function sharedWith(db: Db): string | undefined {
  return knownCluster(db) ?? findEngineMove(db)?.place
}

/** @throws ConfigError if the node would change that data alone */
export function refuseAlone(db: Db): void {
  const clusterId = sharedWith(db)
  if (clusterId === undefined) return
  throw new ConfigError(
    `This data folder belongs to a cluster on an engine (${clusterId}), but SLIPSTREAM_ENGINE is not set.`,
    'Set it again, or move the cluster back with `slipstream move-from-engine` (docs/CLUSTER.md).',
  )
}

/** Makes the rows this node's own from now on. */
export function leaveEngine(db: WriteDb): void {
  for (const statement of statements(db).leave) statement.run()
  removeMeta(db, KEY)
}

/** The highest number that an arrival ever had, whether it still exists or not. */
export function highestArrival(db: Db): number {
  return statements(db).highest.get() ?? 0
}

/** Later arrivals are numbered above this. */
export function raiseArrivals(db: WriteDb, number: number): void {
  const { raise, begin } = statements(db)
  if (raise.run(number).changes === 0) begin.run(number)
}
