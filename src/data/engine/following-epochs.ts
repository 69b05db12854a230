// Who may write to members' timelines on the engine, and up to where that counts. Of each bucket one row names the epoch
// that writes now; a flush of entries counts from the lightweight transaction on that describes it, which fails once a
// later epoch has begun. So whatever a paused writer still writes nobody ever reads. All is one partition: one
// transaction does for many buckets.

import { batchesOf } from '../../base/util/batches.ts'
import { type Engine, EngineUnavailableError } from './connect.ts'

/** Of each epoch the last flush that counts. */
export type Committed = ReadonlyMap<number, number>

export type FlushDone = {
  bucket: number
  epoch: number
  flush: number
  /** Everything that the stream brought up to then is in it; milliseconds. Left as it is where not given. */
  position: number | undefined
}

export type FollowingEpochs = {
  /**
   * From now on only these epochs write. May be done again.
   * @returns where each bucket's writer before came to; without those that a later epoch has
   */
  begin(epochs: ReadonlyMap<number, number>): Promise<Map<number, { position: number | undefined }>>
  /** All or none; may be done again. @returns false: one of them a later epoch has */
  commit(flushes: readonly FlushDone[]): Promise<boolean>
  /** Which epochs have these buckets. */
  current(buckets: readonly number[]): Promise<Map<number, number>>
  /** To be asked for before entries are: all that it counts is there by then. */
  committed(bucket: number): Promise<Committed>
  /** The same, and up to where in the stream (`position`) it has everything; undefined where that was never said. */
  reached(bucket: number): Promise<{ committed: Committed; position: number | undefined }>
}

/** A batch that is too large is refused by the engine. */
const MAX_AT_ONCE = 32
const PLACE = 'slipstream'
const MAX_ATTEMPTS = 10
/** The row of a bucket itself; epochs begin at 1. */
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
        for (const [bucket, one] of await begun(engine, queries, some)) found.set(bucket, one)
      }
      return found
    },
    async commit(flushes) {
      for (const some of batchesOf(flushes, MAX_AT_ONCE)) {
        const statements = some.flatMap((one) => statementsOf(queries, one))
        if (!(await engine.decide(statements))) return false
      }
      return true
    },
    async current(buckets) {
      const found = await bucketsOf(engine, queries, buckets)
      return new Map([...found].map(([bucket, { current }]) => [bucket, current]))
    },
    async committed(bucket) {
      const rows = await engine.read(queries.committed, [PLACE, bucket])
      return new Map(rows.map((one) => [one['epoch'] as number, one['flush'] as number]))
    },
    async reached(bucket) {
      const rows = await engine.read(queries.reached, [PLACE, bucket])
      const position: unknown = rows.find((one) => one['epoch'] === BUCKET)?.['position'] ?? null
      const flushes = rows.filter((one) => one['epoch'] !== BUCKET)
      return {
        committed: new Map(flushes.map((one) => [one['epoch'] as number, one['flush'] as number])),
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

/** What a transaction left open is finished first. */
async function bucketsOf(
  engine: Engine,
  queries: Queries,
  buckets: readonly number[],
): Promise<Known> {
  const rows = await engine.read(queries.buckets, [PLACE, [...buckets]], { serial: true })
  return new Map(
    rows.map((one) => {
      const position: unknown = one['position']
      const known = position === null ? undefined : Number(position)
      return [one['bucket'] as number, { current: one['current'] ?? 0, position: known }]
    }),
  )
}

async function begun(engine: Engine, queries: Queries, some: readonly Begin[]) {
  const buckets = some.map(([bucket]) => bucket)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const known = await bucketsOf(engine, queries, buckets)
    const later = some.filter(([bucket, epoch]) => (known.get(bucket)?.current ?? 0) < epoch)
    const statements = later.map(([bucket, epoch]) => {
      const values = [epoch, PLACE, bucket, BUCKET, known.get(bucket)?.current ?? null]
      return { query: queries.current, values }
    })
    // Somebody else may be quicker.
    if (later.length > 0 && !(await engine.decide(statements))) continue
    // What the epoch before did last counts as well.
    const now = await bucketsOf(engine, queries, buckets)
    const own = some.filter(([bucket, epoch]) => now.get(bucket)?.current === epoch)
    return own.map(([bucket]) => [bucket, { position: now.get(bucket)!.position }] as const)
  }
  throw new EngineUnavailableError('others take the same buckets all the time')
}

function statementsOf(queries: Queries, { bucket, epoch, flush, position }: FlushDone) {
  const condition = [PLACE, bucket, BUCKET, epoch]
  return [
    position === undefined
      ? { query: queries.current, values: [epoch, ...condition] }
      : { query: queries.move, values: [position, ...condition] },
    { query: queries.flush, values: [flush, PLACE, bucket, epoch] },
  ]
}
