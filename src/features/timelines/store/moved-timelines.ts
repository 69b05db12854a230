// Data of a program's timeline besides its events, for the log that introduces it to other nodes
// (features/timelines/writing/moved-timeline.ts): idempotency keys, producers' numbers, and skipped numbers.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'
import { digHole, dropOldHoles, findHole } from './programs/custom-numbers.ts'
import type { CustomTimelineRow, PostedKey, ProducerNumber } from './programs/custom-timelines.ts'

export type MovedKey = PostedKey & { key: Uint8Array }
/** `count`: of numbers skipped in a row; earlier versions wrote one by one, without it. */
export type MovedHole = Omit<ProducerNumber, 'timeline'> & {
  seq: number
  since: number
  count?: number
}

const statements = perDatabase((db) => ({
  all: db.prepare<[], CustomTimelineRow>(
    'SELECT id, name, last_seq, events, bytes, other_bytes FROM custom_timelines ORDER BY id',
  ),
  keys: db.prepare<[number, Uint8Array, number, number], MovedKey>(
    `SELECT key, body, seq, received_at AS receivedAt FROM custom_keys
      WHERE timeline = ? AND key > ? AND received_at >= ? ORDER BY key LIMIT ?`,
  ),
  holes: db.prepare<[number, number, number], MovedHole>(
    `SELECT seq, count, producer, number, since FROM custom_holes
      WHERE timeline = ? AND seq > ? ORDER BY seq LIMIT ?`,
  ),
  producers: db.prepare<[number, string, number], Omit<ProducerNumber, 'timeline'>>(
    `SELECT producer, last_number AS number FROM custom_producers
      WHERE timeline = ? AND producer > ? ORDER BY producer LIMIT ?`,
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

/** Adds stretches that are already given up, unless they are here. */
export function putMovedHoles(db: WriteDb, timeline: number, holes: readonly MovedHole[]): void {
  for (const hole of inStretches(holes)) {
    if (!findHole(db, { ...hole, timeline })) digHole(db, { ...hole, timeline, is_given_up: 1 })
  }
  dropOldHoles(db, timeline)
}

/** Joins numbers that follow one another. */
function inStretches(holes: readonly MovedHole[]): Required<MovedHole>[] {
  const stretches: Required<MovedHole>[] = []
  for (const { count = 1, ...hole } of holes) {
    const last = stretches.at(-1)
    const goesOn =
      last?.producer === hole.producer &&
      last.seq + last.count === hole.seq &&
      last.number + last.count === hole.number
    if (goesOn) last.count += count
    else stretches.push({ ...hole, count })
  }
  return stretches
}
