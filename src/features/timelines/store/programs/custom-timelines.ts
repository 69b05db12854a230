// Timelines that programs write: rows as the writer sees them. Readers: read/timelines/custom-timelines.ts.

import { INVALIDATION } from '../../../../data/shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../../../../data/store/db.ts'
import { perDatabase, returning } from '../../../../data/store/per-database.ts'
import { invalidationsOf } from '../../../../data/store/transact.ts'
import { EVENT_BYTES_SQL } from './custom-sizes.ts'

export type CustomTimelineRow = {
  id: number
  name: string
  last_seq: number
  events: number
  /** Of its events: custom-sizes.ts. */
  bytes: number
  /** Of its idempotency keys, producers and skipped numbers, as triggers count them. */
  other_bytes: number
}

type CustomEventRow = {
  timeline: number
  seq: number
  entityId: string
  entityType: string
  payload: string
  producerTs: number
  receivedAt: number
}

export type PostedKey = { body: Uint8Array; seq: number; receivedAt: number }

export type ProducerNumber = { timeline: number; producer: string; number: number }

const COLUMNS = 'id, name, last_seq, events, bytes, other_bytes'
const CHANGE = '(SELECT coalesce(max(change), 0) + 1 FROM custom_timelines)'

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  find: db.prepare<[string], CustomTimelineRow>(
    `SELECT ${COLUMNS} FROM custom_timelines WHERE name = ?`,
  ),
  create: returning(
    db.prepare<[string, number], CustomTimelineRow>(
      `INSERT INTO custom_timelines (name, created_at, change) VALUES (?, ?, ${CHANGE})
      RETURNING ${COLUMNS}`,
    ),
  ),
  count: db.prepare<[], number>('SELECT count(*) FROM custom_timelines').pluck(),
  bytes: db
    .prepare<[], number>('SELECT coalesce(sum(bytes + other_bytes), 0) FROM custom_timelines')
    .pluck(),
  all: db.prepare<[], number>('SELECT id FROM custom_timelines ORDER BY id').pluck(),
  save: returning(
    db
      .prepare<[CustomTimelineRow], number>(
        `UPDATE custom_timelines SET last_seq = @last_seq, events = @events, bytes = @bytes,
        change = ${CHANGE} WHERE id = @id RETURNING bytes + other_bytes`,
      )
      .pluck(),
  ),
  touch: db.prepare<[number]>(`UPDATE custom_timelines SET change = ${CHANGE} WHERE id = ?`),
  shrink: db.prepare<[number, number, number]>(
    'UPDATE custom_timelines SET events = events - ?, bytes = bytes - ? WHERE id = ?',
  ),
  insert: db.prepare<[CustomEventRow]>(
    `INSERT INTO custom_events
        (timeline, seq, entity_id, entity_type, payload, producer_ts, received_at)
      VALUES (@timeline, @seq, @entityId, @entityType, @payload, @producerTs, @receivedAt)`,
  ),
  trim: returning(
    db
      .prepare<[{ timeline: number; before: number; limit: number }], number>(
        `DELETE FROM custom_events WHERE timeline = @timeline AND seq IN
        (SELECT seq FROM custom_events WHERE timeline = @timeline AND received_at < @before ORDER BY seq LIMIT @limit)
      RETURNING ${EVENT_BYTES_SQL}`,
      )
      .pluck(),
  ),
  oldest: db
    .prepare<[number], number>('SELECT min(seq) FROM custom_events WHERE timeline = ?')
    .pluck(),
  trimHoles: db.prepare<[number, number]>(
    'DELETE FROM custom_holes WHERE timeline = ? AND seq < ? AND is_given_up = 1',
  ),
}))

export function findCustomTimeline(db: Db, name: string): CustomTimelineRow | undefined {
  return statements(db).find.get(name)
}

export function createCustomTimeline(db: WriteDb, name: string, now: number): CustomTimelineRow {
  return statements(db).create.get(name, now)!
}

export function countCustomTimelines(db: Db): number {
  return statements(db).count.get() ?? 0
}

export function customBytes(db: Db): number {
  return statements(db).bytes.get() ?? 0
}

export function customTimelineIds(db: Db): number[] {
  return statements(db).all.all()
}

/** Makes waiting readers look again. @returns the bytes of all that is stored of it */
export function saveCustomTimeline(db: WriteDb, row: CustomTimelineRow): number {
  const { invalidations, save } = statements(db)
  const bytes = save.get(row)!
  invalidations.add(INVALIDATION.ofFeature, row.id)
  return bytes
}

/** For a change to the timeline other than its events. */
export function touchCustomTimeline(db: WriteDb, id: number): void {
  const { invalidations, touch } = statements(db)
  touch.run(id)
  invalidations.add(INVALIDATION.ofFeature, id)
}

export function insertCustomEvent(db: WriteDb, event: CustomEventRow): void {
  statements(db).insert.run(event)
}

/**
 * Deletes the oldest events from before this time, a limited number at once.
 * @returns the freed amount
 */
export function trimCustomEvents(
  db: WriteDb,
  { timeline, before, limit }: { timeline: number; before: number; limit: number },
): { events: number; bytes: number } {
  const { trim, shrink, oldest, trimHoles } = statements(db)
  const sizes = trim.all({ timeline, before, limit })
  const freed = { events: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
  if (freed.events === 0) return freed
  shrink.run(freed.events, freed.bytes, timeline)
  trimHoles.run(timeline, oldest.get(timeline) ?? Number.MAX_SAFE_INTEGER)
  return freed
}
