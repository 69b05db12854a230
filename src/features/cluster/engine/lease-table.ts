// Leases and beats as rows on the engine. All leases are in one partition, so that a node takes or gives back
// many in one lightweight transaction. A beat is a plain write that shows its node is alive, and is forgotten
// soon after the last one.

import type { Engine, Row } from './connect.ts'

export type Lease = {
  bucket: number
  /** undefined: the lease was given back. */
  node: string | undefined
  epoch: number
  /** Milliseconds, by the clock of the node that took it. */
  takenAt: number
}

export type LeaseTable = {
  /** The leases of all buckets that were ever taken. */
  leases(): Promise<Lease[]>
  /** Each node's latest beat. */
  beats(): Promise<Map<string, number>>
  beat(node: string, count: number): Promise<void>
  leave(node: string): Promise<void>
  /**
   * All or none, each with the next epoch. After an EngineUnavailableError, the outcome is unknown.
   * @returns false if another node was faster
   */
  take(node: string, leases: readonly Known[], now: number): Promise<boolean>
  give(leases: readonly Known[]): Promise<boolean>
}

/** As read; a bucket never taken has epoch 0. */
export type Known = Pick<Lease, 'bucket' | 'epoch'>

/** The engine rejects larger batches. */
export const MAX_LEASES_AT_ONCE = 64
const CLUSTER = 'slipstream'
const BEAT_LASTS_SECONDS = 60

export function createLeaseTable(engine: Engine): LeaseTable {
  const [leases, beats] = [`${engine.keyspace}.leases`, `${engine.keyspace}.beats`]
  const queries = {
    leases: `SELECT bucket, node, epoch, taken_at FROM ${leases} WHERE place = ?`,
    beats: `SELECT node, beat FROM ${beats} WHERE place = ?`,
    beat: `INSERT INTO ${beats} (place, node, beat) VALUES (?, ?, ?) USING TTL ${BEAT_LASTS_SECONDS}`,
    leave: `DELETE FROM ${beats} WHERE place = ? AND node = ?`,
    take: `UPDATE ${leases} SET node = ?, epoch = ?, taken_at = ? WHERE place = ? AND bucket = ? IF epoch = ?`,
    give: `UPDATE ${leases} SET node = null WHERE place = ? AND bucket = ? IF epoch = ?`,
  }
  return {
    leases: async () => (await engine.read(queries.leases, [CLUSTER])).map(toLease),
    async beats() {
      const rows = await engine.read(queries.beats, [CLUSTER])
      return new Map(rows.map((row) => [row['node'], row['beat']]))
    },
    beat: (node, count) => engine.write(queries.beat, [CLUSTER, node, count]),
    leave: (node) => engine.write(queries.leave, [CLUSTER, node]),
    take: (node, known, now) =>
      engine.decide(
        known.map(({ bucket, epoch }) => ({
          query: queries.take,
          values: [node, epoch + 1, now, CLUSTER, bucket, epoch === 0 ? null : epoch],
        })),
      ),
    give: (known) =>
      engine.decide(
        known.map(({ bucket, epoch }) => ({
          query: queries.give,
          values: [CLUSTER, bucket, epoch],
        })),
      ),
  }
}

function toLease(row: Row): Lease {
  const { bucket, epoch } = row as unknown as Lease
  return { bucket, epoch, node: row['node'] ?? undefined, takenAt: Number(row['taken_at']) }
}
