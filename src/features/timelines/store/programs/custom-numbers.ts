// Numbers by which producers order their events, those that they skipped (a row for each stretch of them), and
// the answers given to idempotency keys.

import type { Db, WriteDb } from '../../../../data/store/db.ts'
import { perDatabase, returning } from '../../../../data/store/per-database.ts'
import type { PostedKey, ProducerNumber } from './custom-timelines.ts'

/** A stretch of skipped numbers: `count` places from `seq`, for as many numbers from `number`. */
type HoleRow = ProducerNumber & {
  seq: number
  count: number
  since: number
  is_given_up: number
}

/** Stretches of one timeline that are given up. */
const MAX_GIVEN_UP = 1_000

const statements = perDatabase((db) => ({
  lastNumber: db
    .prepare<[number, string], number>(
      'SELECT last_number FROM custom_producers WHERE timeline = ? AND producer = ?',
    )
    .pluck(),
  producers: db
    .prepare<[number], number>('SELECT count(*) FROM custom_producers WHERE timeline = ?')
    .pluck(),
  setNumber: db.prepare<[ProducerNumber]>(
    `INSERT INTO custom_producers (timeline, producer, last_number)
      VALUES (@timeline, @producer, @number)
      ON CONFLICT DO UPDATE SET last_number = excluded.last_number`,
  ),
  hole: db.prepare<[ProducerNumber], HoleRow>(
    `SELECT timeline, seq, count, producer, number, since, is_given_up FROM custom_holes
      WHERE timeline = @timeline AND producer = @producer AND number <= @number
      ORDER BY number DESC LIMIT 1`,
  ),
  waiting: db
    .prepare<[number], number>(
      `SELECT coalesce(sum(count), 0) FROM custom_holes INDEXED BY custom_holes_open
        WHERE timeline = ? AND is_given_up = 0`,
    )
    .pluck(),
  dig: db.prepare<[HoleRow]>(
    `INSERT INTO custom_holes (timeline, seq, count, producer, number, since, is_given_up)
      VALUES (@timeline, @seq, @count, @producer, @number, @since, @is_given_up)`,
  ),
  fill: db.prepare<[number, number]>('DELETE FROM custom_holes WHERE timeline = ? AND seq = ?'),
  giveUp: returning(
    db
      .prepare<[number, number], number>(
        `UPDATE custom_holes SET is_given_up = 1
        WHERE is_given_up = 0 AND (since <= ? OR since > ?) RETURNING timeline`,
      )
      .pluck(),
  ),
  dropOld: db.prepare<[{ timeline: number; most: number }]>(
    `DELETE FROM custom_holes WHERE timeline = @timeline AND is_given_up = 1 AND seq <=
      (SELECT seq FROM custom_holes WHERE timeline = @timeline AND is_given_up = 1
        ORDER BY seq DESC LIMIT 1 OFFSET @most)`,
  ),
  isAnyOpen: db
    .prepare<[], number>('SELECT 1 FROM custom_holes WHERE is_given_up = 0 LIMIT 1')
    .pluck(),
  key: db.prepare<[number, Uint8Array], PostedKey>(
    'SELECT body, seq, received_at AS receivedAt FROM custom_keys WHERE timeline = ? AND key = ?',
  ),
  putKey: db.prepare<[number, Uint8Array, Uint8Array, number, number]>(
    `INSERT INTO custom_keys (timeline, key, body, seq, received_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET body = excluded.body, seq = excluded.seq, received_at = excluded.received_at`,
  ),
  countKeys: db.prepare<[], number>('SELECT count(*) FROM custom_keys').pluck(),
  pruneKeys: db.prepare<[number, number]>(
    `DELETE FROM custom_keys WHERE (timeline, key) IN
      (SELECT timeline, key FROM custom_keys WHERE received_at < ? ORDER BY received_at LIMIT ?)`,
  ),
}))

/** 0 if this producer has not numbered any event yet. */
export function lastNumberOf(db: Db, timeline: number, producer: string): number {
  return statements(db).lastNumber.get(timeline, producer) ?? 0
}

export function countProducers(db: Db, timeline: number): number {
  return statements(db).producers.get(timeline) ?? 0
}

export function setLastNumber(db: WriteDb, producerNumber: ProducerNumber): void {
  statements(db).setNumber.run(producerNumber)
}

/** The stretch of skipped numbers that this one is in. */
export function findHole(db: Db, producerNumber: ProducerNumber): HoleRow | undefined {
  const hole = statements(db).hole.get(producerNumber)
  return hole && producerNumber.number < hole.number + hole.count ? hole : undefined
}

/** Numbers still awaited. */
export function countOpenHoles(db: Db, timeline: number): number {
  return statements(db).waiting.get(timeline) ?? 0
}

export function digHole(db: WriteDb, hole: HoleRow): void {
  statements(db).dig.run(hole)
}

/** Takes one number out of its stretch, of which up to two are left. */
export function fillHole(db: WriteDb, hole: HoleRow, number: number): void {
  const { fill, dig } = statements(db)
  fill.run(hole.timeline, hole.seq)
  const before = number - hole.number
  const after = hole.count - before - 1
  if (before > 0) dig.run({ ...hole, count: before })
  if (after > 0) dig.run({ ...hole, seq: hole.seq + before + 1, number: number + 1, count: after })
}

/** Keeps the newest stretches that are given up; the numbers of others count as posted. */
export function dropOldHoles(db: WriteDb, timeline: number, most = MAX_GIVEN_UP): void {
  statements(db).dropOld.run({ timeline, most })
}

/**
 * Stops waiting for stretches that opened by then, or in the future.
 * @returns the timelines that had some
 */
export function giveUpHoles(
  db: WriteDb,
  { openedBy, now }: { openedBy: number; now: number },
): number[] {
  const timelines = [...new Set(statements(db).giveUp.all(openedBy, now))]
  for (const timeline of timelines) dropOldHoles(db, timeline)
  return timelines
}

export function hasOpenHoles(db: Db): boolean {
  return statements(db).isAnyOpen.get() !== undefined
}

export function findPostedKey(db: Db, timeline: number, key: Uint8Array): PostedKey | undefined {
  return statements(db).key.get(timeline, key)
}

export function putPostedKey(
  db: WriteDb,
  timeline: number,
  key: Uint8Array,
  posted: PostedKey,
): void {
  statements(db).putKey.run(timeline, key, posted.body, posted.seq, posted.receivedAt)
}

export function countPostedKeys(db: Db): number {
  return statements(db).countKeys.get() ?? 0
}

/** @returns how many were deleted */
export function prunePostedKeys(db: WriteDb, before: number, limit: number): number {
  return statements(db).pruneKeys.run(before, limit).changes
}
