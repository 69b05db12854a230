// Data of a program's timeline besides its events, for the log that introduces it to other nodes
// (ingest/timelines/moved-timeline.ts): idempotency keys, producers' numbers, and skipped numbers.

import type { CustomTimelineRow, PostedKey, ProducerNumber } from './custom-timelines.ts'
import type { Db, WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

export type MovedKey = PostedKey & { key: Uint8Array }
export type MovedHole = Omit<ProducerNumber, 'timeline'> & { seq: number; since: number }

const statements = perDatabase((db) => ({
  all: db.prepare<[], CustomTimelineRow>(
    'SELECT id, name, last_seq, events, bytes FROM custom_timelines ORDER BY id',
  ),
  keys: db.prepare<[number, Uint8Array, number, number], MovedKey>(
    `SELECT key, body, seq, received_at AS receivedAt FROM custom_keys
      WHERE timeline = ? AND key > ? AND received_at >= ? ORDER BY key LIMIT ?`,
  ),
  holes: db.prepare<[number, number, number], MovedHole>(
    `SELECT seq, producer, number, since FROM custom_holes
      WHERE timeline = ? AND seq > ? ORDER BY seq LIMIT ?`,
  ),
  producers: db.prepare<[number, string, number], Omit<ProducerNumber, 'timeline'>>(
    `SELECT producer, last_number AS number FROM custom_producers
      WHERE timeline = ? AND producer > ? ORDER BY producer LIMIT ?`,
  ),
  putHole: db.prepare<[MovedHole & { timeline: number }]>(
    `INSERT OR IGNORE INTO custom_holes (timeline, seq, producer, number, since, is_given_up)
      VALUES (@timeline, @seq, @producer, @number, @since, 1)`,
  ),
}))

export function allCustomTimelines(db: Db): CustomTimelineRow[] {
  return statements(db).all.all()
}

/** Keys received at this time or later, in key order. */
export function movedKeys(
  db: Db,
  timeline: number,
  { after, since, limit }: { after: Uint8Array; since: number; limit: number },
): MovedKey[] {
  return statements(db).keys.all(timeline, after, since, limit)
}

export function movedHoles(
  db: Db,
  timeline: number,
  { after, limit }: { after: number; limit: number },
): MovedHole[] {
  return statements(db).holes.all(timeline, after, limit)
}

export function movedProducers(
  db: Db,
  timeline: number,
  { after, limit }: { after: string; limit: number },
): Omit<ProducerNumber, 'timeline'>[] {
  return statements(db).producers.all(timeline, after, limit)
}

/** Adds a hole that is already given up. */
export function putMovedHole(db: WriteDb, timeline: number, hole: MovedHole): void {
  statements(db).putHole.run({ ...hole, timeline })
}
