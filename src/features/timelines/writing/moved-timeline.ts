// Converts a timeline of one node to the log entries that make it a shared one: its events with their
// numbers, then the data that keeps numbers and idempotency keys from being used for anything else on another
// node. The timeline is not written to meanwhile; an interrupted move resumes after the last number in the
// log.

import type { Db } from '../../../data/store/db.ts'
import { type MovedKey, movedHoles, movedKeys, movedProducers } from '../store/moved-timelines.ts'
import type { CustomTimelineRow } from '../store/programs/custom-timelines.ts'
import type { CustomEvent, CustomTimelines } from '../store/read/custom-timelines.ts'
import { KEYS_LAST_MS } from './append.ts'
import { base64, cutForLog, type Entry, type Remainder } from './follow-log.ts'

type Dependencies = { db: Db; events: Pick<CustomTimelines, 'read'>; now: number }

const READ_AT_ONCE = 500

/** @param after - the number of the last event in the log */
export function* movedEntries(
  parts: Dependencies,
  row: CustomTimelineRow,
  after: number,
): Generator<string> {
  const at = parts.now
  for (const posts of eventsOf(parts, row, after)) {
    yield JSON.stringify({ at, posts } satisfies Entry)
  }
  for (const more of remainderOf(parts, row)) {
    yield JSON.stringify({ at, posts: [], more } satisfies Entry)
  }
}

function* eventsOf({ events }: Dependencies, row: CustomTimelineRow, after: number) {
  for (let at = after; ; ) {
    const found = events.read(row.id, { at, isForward: true, limit: READ_AT_ONCE })
    for (const some of cutForLog(found, found.keys())) yield some.map((i) => written(found[i]!))
    if (found.length < READ_AT_ONCE) return
    at = found.at(-1)!.seq
  }
}

/** Keys are moved separately, since the key of a trimmed event still counts. */
function written({ seq, receivedAt, ...event }: CustomEvent): Entry['posts'][number] {
  return { seq, at: receivedAt, post: { ...event, body: '', numbered: undefined } }
}

/** The last entry has the highest number assigned, so a node that has it has everything. */
function* remainderOf({ db, now }: Dependencies, row: CustomTimelineRow): Generator<Remainder> {
  const { id } = row
  const limit = READ_AT_ONCE
  const since = now - KEYS_LAST_MS
  const keys = paged<MovedKey, Uint8Array>(new Uint8Array(), (after) =>
    movedKeys(db, id, { after, since, limit }),
  )
  for (const some of keys((movedKey) => movedKey.key)) {
    yield {
      keys: some.map((movedKey) => ({
        ...movedKey,
        key: base64(movedKey.key),
        body: base64(movedKey.body),
      })),
    }
  }
  const holes = paged(0, (after) => movedHoles(db, id, { after, limit }))
  for (const some of holes((movedHole) => movedHole.seq)) yield { holes: some }
  const producers = paged('', (after) => movedProducers(db, id, { after, limit }))
  for (const some of producers((item) => item.producer)) yield { producers: some }
  yield { lastSeq: row.last_seq }
}

function paged<Row, Key>(first: Key, read: (after: Key) => Row[]) {
  return function* (keyOf: (row: Row) => Key): Generator<Row[]> {
    for (let after = first; ; ) {
      const rows = read(after)
      if (rows.length > 0) yield rows
      if (rows.length < READ_AT_ONCE) return
      after = keyOf(rows.at(-1)!)
    }
  }
}
