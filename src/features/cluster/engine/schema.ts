// The engine's tables, as migration steps. Each step only adds, so that nodes of two versions can run side by
// side: columns and tables that an older version still reads are removed by a later release, once no such
// node is left. The first step gives the cluster an identity: nodes that remember what they read from an engine
// also remember which engine it was.

import { randomUUID } from 'node:crypto'
import { checkedBase, createClusterMoves } from './cluster-moves.ts'
import { type Engine, EngineUnavailableError } from './connect.ts'

type SchemaState = {
  /** undefined: there are no tables yet. */
  version: number | undefined
  id: string | undefined
}

type Step = ((keyspace: string) => string) | NewColumn

type NewColumn = { table: string; column: string; type: string }

const steps: readonly Step[] = [
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.place (
    name text PRIMARY KEY, id text, schema_version int)`,
  // One partition per member. `version` counts its changes; each key's latest change is kept, with
  // its number.
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.private_state (
    member text, key text, version int static, number int, change_id text, made_at bigint, change text,
    PRIMARY KEY (member, key))`,
  // The holders of the buckets, as one partition (lease-table.ts).
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.leases (
    place text, bucket int, node text, epoch int, taken_at bigint, PRIMARY KEY (place, bucket))`,
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.beats (
    place text, node text, beat int, PRIMARY KEY (place, node)) WITH gc_grace_seconds = 3600`,
  // Programs' posts to their timelines (timeline-log.ts), and the head of each log.
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.timeline_log (
    timeline text, chunk int, number int, id text, entry text, PRIMARY KEY ((timeline, chunk), number))`,
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.timeline_heads (
    timeline text PRIMARY KEY, chunk int)`,
  // Members' timelines (following-log.ts), and their writers (following-epochs.ts).
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.following_log (
    member text, chunk int, number int, epoch int, flush int, at bigint, uri text,
    PRIMARY KEY ((member, chunk), number, epoch))`,
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.following_heads (
    member text PRIMARY KEY, chunk int)`,
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.following_epochs (
    place text, bucket int, epoch int, current int, position bigint, flush int,
    PRIMARY KEY (place, bucket, epoch))`,
  // Makes the end of a member's log usable for their home timeline (following-log.ts).
  { table: 'following_log', column: 'follows', type: 'bigint' },
  // Members, invites, tokens and the operator's decisions, as one partition (cql-cluster-changes.ts).
  (keyspace) => `CREATE TABLE IF NOT EXISTS ${keyspace}.place_changes (
    place text, number int, version int static, gone_until int static, key text, change text, is_gone boolean,
    PRIMARY KEY (place, number))`,
]

export const engineSchemaVersion = steps.length
const CLUSTER = 'slipstream'

type MigrateOptions = { replication: number; datacenter: string }

/** May be repeated, and run concurrently. @returns the resulting state */
export async function migrateEngine(engine: Engine, options: MigrateOptions): Promise<SchemaState> {
  const { keyspace } = engine
  await engine.define(
    `CREATE KEYSPACE IF NOT EXISTS ${keyspace} WITH replication =
      {'class': 'NetworkTopologyStrategy', '${options.datacenter}': ${options.replication}}`,
  )
  for (const step of steps) {
    if (typeof step === 'function') await engine.define(step(keyspace))
    else await addColumn(engine, step)
  }
  const table = `${keyspace}.place`
  await engine.decide([
    {
      query: `INSERT INTO ${table} (name, id, schema_version) VALUES (?, ?, ?) IF NOT EXISTS`,
      values: [CLUSTER, randomUUID(), engineSchemaVersion],
    },
  ])
  await engine.decide([
    {
      query: `UPDATE ${table} SET schema_version = ? WHERE name = ? IF schema_version < ?`,
      values: [engineSchemaVersion, CLUSTER, engineSchemaVersion],
    },
  ])
  return schemaState(engine)
}

/**
 * Not every engine supports adding a column only if it is missing; of two concurrent callers, one
 * is told that it exists.
 */
async function addColumn(engine: Engine, { table, column, type }: NewColumn): Promise<void> {
  const { keyspace } = engine
  const isThere = async () => {
    const found = await engine.read(
      'SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ? AND column_name = ?',
      [keyspace, table, column],
    )
    return found.length > 0
  }
  if (await isThere()) return
  try {
    await engine.define(`ALTER TABLE ${keyspace}.${table} ADD ${column} ${type}`)
  } catch (error) {
    if (!(await isThere())) throw error
  }
}

export async function schemaState(engine: Engine): Promise<SchemaState> {
  const none: SchemaState = { version: undefined, id: undefined }
  const [table] = await engine.read(
    'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?',
    [engine.keyspace, 'place'],
  )
  if (!table) return none
  const [row] = await engine.read(
    `SELECT id, schema_version FROM ${engine.keyspace}.place WHERE name = ?`,
    [CLUSTER],
  )
  return row ? { version: row['schema_version'], id: row['id'] } : none
}

/**
 * Returns the cluster's identity and `ClusterMove.base`.
 * @throws EngineUnavailableError with instructions, if its tables are not ours or the cluster is not
 * entirely here
 */
export async function checkedCluster(engine: Engine): Promise<{ id: string; base: number }> {
  const id = await checkedSchema(engine)
  return { id, base: await checkedBase(createClusterMoves(engine)) }
}

/** Returns only its identity, even during a move. */
export async function checkedSchema(engine: Engine): Promise<string> {
  const { version, id } = await schemaState(engine)
  if (version === undefined || id === undefined || version < engineSchemaVersion) {
    throw new EngineUnavailableError(
      `the engine’s keyspace ${engine.keyspace} has ${version === undefined ? 'no tables' : `schema ${version}`}, this Slipstream needs ${engineSchemaVersion}: run \`slipstream engine migrate\``,
    )
  }
  return id
}

/** Number of copies of each row in this data centre; undefined if the keyspace does not exist. */
export async function replicationOf(
  engine: Engine,
  datacenter: string,
): Promise<number | undefined> {
  const [row] = await engine.read(
    'SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?',
    [engine.keyspace],
  )
  const replication: Record<string, string> | undefined = row?.['replication']
  const factor = replication?.[datacenter] ?? replication?.['replication_factor']
  return factor === undefined ? undefined : Number(factor)
}
