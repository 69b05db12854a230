// Which node may write members' timelines on the engine, and which of its writes count. One row per bucket
// names the current epoch. A flush of entries counts once a lightweight transaction records it, which fails
// if a later epoch has begun, so entries of a fenced writer are never read. All rows are in one partition, so
// one transaction covers many buckets.

import { batchesOf } from '../../../base/util/batches.ts'
import { type Engine, EngineUnavailableError } from './connect.ts'

/** The last flush that counts, by epoch. */
export type Committed = ReadonlyMap<number, number>

export type FlushDone = {
  bucket: number
  epoch: number
  flush: number
  /**
   * All stream events up to this time are included; milliseconds. If omitted, it is left unchanged.
   */
  position: number | undefined
}

export type FollowingEpochs = {
  /**
   * Makes these epochs the only writers. Idempotent.
   * @returns each bucket's position under the previous writer, except for buckets with a later
   * epoch
   */
  begin(epochs: ReadonlyMap<number, number>): Promise<Map<number, { position: number | undefined }>>
  /** All or none; idempotent. @returns false if one of the buckets has a later epoch */
  commit(flushes: readonly FlushDone[]): Promise<boolean>
  /** The current epochs of these buckets. */
  current(buckets: readonly number[]): Promise<Map<number, number>>
  /** Must be read before the entries: all entries that it counts exist by then. */
  committed(bucket: number): Promise<Committed>
  /**
   * The same, with the stream `position` up to which the log is complete; undefined if never
   * recorded.
   */
  reached(bucket: number): Promise<{ committed: Committed; position: number | undefined }>
}

/** The engine rejects larger batches. */
const MAX_AT_ONCE = 32
const CLUSTER = 'slipstream'
const MAX_ATTEMPTS = 10
/** Epoch of the bucket's own row; real epochs begin at 1. */
const BUCKET = 0

type Queries = ReturnType<typeof queriesOf>
type Known = Map<number, { current: number; position: number | undefined }>
type Begin = readonly [bucket: number, epoch: number]

export function createFollowingEpochs(engine: Engine): FollowingEpochs {
  const queries = queriesOf(engine)
  return {
    async begin(epochs) {
      const found = new Map<number, { position: number | undefined }>()
      for (const some of batchesOf([...epochs], MAX_AT_ONCE)) {
        for (const [bucket, item] of await begun(engine, queries, some)) found.set(bucket, item)
      }
      return found
    },
    async commit(flushes) {
      for (const some of batchesOf(flushes, MAX_AT_ONCE)) {
        const statements = some.flatMap((flushDone) => statementsOf(queries, flushDone))
        if (!(await engine.decide(statements))) return false
      }
      return true
    },
    async current(buckets) {
      const found = await bucketsOf(engine, queries, buckets)
      return new Map([...found].map(([bucket, { current }]) => [bucket, current]))
    },
    async committed(bucket) {
      const rows = await engine.read(queries.committed, [CLUSTER, bucket])
      return new Map(rows.map((row) => [row['epoch'] as number, row['flush'] as number]))
    },
    async reached(bucket) {
      const rows = await engine.read(queries.reached, [CLUSTER, bucket])
      const position: unknown = rows.find((row) => row['epoch'] === BUCKET)?.['position'] ?? null
      const flushes = rows.filter((row) => row['epoch'] !== BUCKET)
      return {
        committed: new Map(
          flushes.map((flush) => [flush['epoch'] as number, flush['flush'] as number]),
        ),
        position: position === null ? undefined : Number(position),
      }
    },
  }
}

function queriesOf({ keyspace }: Engine) {
  const table = `${keyspace}.following_epochs`
  const row = 'place = ? AND bucket = ? AND epoch = ?'
  return {
    buckets: `SELECT bucket, current, position FROM ${table} WHERE place = ? AND bucket IN ? AND epoch = ${BUCKET}`,
    current: `UPDATE ${table} SET current = ? WHERE ${row} IF current = ?`,
    move: `UPDATE ${table} SET position = ? WHERE ${row} IF current = ?`,
    flush: `UPDATE ${table} SET flush = ? WHERE ${row}`,
    reached: `SELECT epoch, flush, position FROM ${table} WHERE place = ? AND bucket = ?`,
    committed: `SELECT epoch, flush FROM ${table} WHERE place = ? AND bucket = ? AND epoch > ${BUCKET}`,
  }
}

/** Reads serially, which completes pending transactions first. */
async function bucketsOf(
  engine: Engine,
  queries: Queries,
  buckets: readonly number[],
): Promise<Known> {
  const rows = await engine.read(queries.buckets, [CLUSTER, [...buckets]], { serial: true })
  return new Map(
    rows.map((row) => {
      const position: unknown = row['position']
      const known = position === null ? undefined : Number(position)
      return [row['bucket'] as number, { current: row['current'] ?? 0, position: known }]
    }),
  )
}

async function begun(engine: Engine, queries: Queries, some: readonly Begin[]) {
  const buckets = some.map(([bucket]) => bucket)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const known = await bucketsOf(engine, queries, buckets)
    const later = some.filter(([bucket, epoch]) => (known.get(bucket)?.current ?? 0) < epoch)
    const statements = later.map(([bucket, epoch]) => {
      const values = [epoch, CLUSTER, bucket, BUCKET, known.get(bucket)?.current ?? null]
      return { query: queries.current, values }
    })
    // Another node may have been faster.
    if (later.length > 0 && !(await engine.decide(statements))) continue
    // Read again to include the previous epoch's last flush.
    const now = await bucketsOf(engine, queries, buckets)
    const own = some.filter(([bucket, epoch]) => now.get(bucket)?.current === epoch)
    return own.map(([bucket]) => [bucket, { position: now.get(bucket)!.position }] as const)
  }
  throw new EngineUnavailableError('other nodes keep taking the same buckets')
}

function statementsOf(queries: Queries, { bucket, epoch, flush, position }: FlushDone) {
  const condition = [CLUSTER, bucket, BUCKET, epoch]
  return [
    position === undefined
      ? { query: queries.current, values: [epoch, ...condition] }
      : { query: queries.move, values: [position, ...condition] },
    { query: queries.flush, values: [flush, CLUSTER, bucket, epoch] },
  ]
}
