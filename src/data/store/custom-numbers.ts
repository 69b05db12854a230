// Numbers by which producers order their events, and the answers given to idempotency keys.

import type { PostedKey, ProducerNumber } from './custom-timelines.ts'
import type { Db, WriteDb } from './db.ts'
import { perDatabase, returning } from './per-database.ts'

type HoleRow = { seq: number; is_given_up: number }

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
    `SELECT seq, is_given_up FROM custom_holes
      WHERE timeline = @timeline AND producer = @producer AND number = @number`,
  ),
  waiting: db
    .prepare<[number], number>(
      'SELECT count(*) FROM custom_holes WHERE timeline = ? AND is_given_up = 0',
    )
    .pluck(),
  dig: db.prepare<[ProducerNumber & { seq: number; since: number }]>(
    `INSERT INTO custom_holes (timeline, seq, producer, number, since)
      VALUES (@timeline, @seq, @producer, @number, @since)`,
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
  isAnyOpen: db
    .prepare<[], number>('SELECT 1 FROM custom_holes WHERE is_given_up = 0 LIMIT 1')
    .pluck(),
  key: db.prepare<[number, Uint8Array], PostedKey>(
    'SELECT body, seq, received_at AS receivedAt FROM custom_keys WHERE timeline = ? AND key = ?',
  ),
  putKey: db.prepare<[number, Uint8Array, Uint8Array, number, number]>(
    'INSERT OR REPLACE INTO custom_keys (timeline, key, body, seq, received_at) VALUES (?, ?, ?, ?, ?)',
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

export function setLastNumber(db: WriteDb, one: ProducerNumber): void {
  statements(db).setNumber.run(one)
}

export function findHole(db: Db, one: ProducerNumber): HoleRow | undefined {
  return statements(db).hole.get(one)
}

export function countOpenHoles(db: Db, timeline: number): number {
  return statements(db).waiting.get(timeline) ?? 0
}

export function digHole(db: WriteDb, hole: ProducerNumber & { seq: number; since: number }): void {
  statements(db).dig.run(hole)
}

export function fillHole(db: WriteDb, timeline: number, seq: number): void {
  statements(db).fill.run(timeline, seq)
}

/**
 * Stops waiting for holes that opened by then, or in the future.
 * @returns the timelines that had some
 */
export function giveUpHoles(
  db: WriteDb,
  { openedBy, now }: { openedBy: number; now: number },
): number[] {
  return [...new Set(statements(db).giveUp.all(openedBy, now))]
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
