// Timelines that programs write, as readers see them: up to the first place still awaited.

import type { ArrivalRange } from './arrivals.ts'
import type { Db } from './id-list.ts'

type CustomTimeline = { id: number; lastSeq: number; change: number }

export type CustomEvent = {
  seq: number
  entityId: string
  entityType: string
  /** JSON. */
  payload: string
  /** Milliseconds. */
  producerTs: number
  receivedAt: number
}

/** A range of skipped numbers, inclusive; `isOpen`: they may still arrive. */
export type Hole = { from: number; to: number; since: number; isOpen: boolean }

export type CustomTimelines = {
  find(name: string): CustomTimeline | undefined
  /** The highest number that readers may see. */
  visible(id: number): number
  read(id: number, range: ArrivalRange): CustomEvent[]
  /** Holes within these numbers, both inclusive, in order. */
  holes(id: number, from: number, to: number): Hole[]
  /** Number of the last change, counted over all timelines. */
  lastChange(): number
  /** Timelines changed since. */
  changedSince(change: number): { id: number; name: string; change: number }[]
}

type Row = [
  seq: number,
  entityId: string,
  entityType: string,
  payload: string,
  producerTs: number,
  receivedAt: number,
]

const MAX_HOLES = 1_000

export function prepareCustomTimelines(db: Db): CustomTimelines {
  const columns = 'seq, entity_id, entity_type, payload, producer_ts, received_at'
  const select = (beyond: string, order: string) =>
    db
      .prepare<[number, number, number, number], Row>(
        `SELECT ${columns} FROM custom_events
          WHERE timeline = +? AND seq ${beyond} +? AND seq <= +? ORDER BY seq ${order} LIMIT +?`,
      )
      .raw()
  const up = select('>', '')
  const down = select('<', 'DESC')
  const find = db.prepare<[string], CustomTimeline>(
    'SELECT id, last_seq AS lastSeq, change FROM custom_timelines WHERE name = ?',
  )
  const visible = db
    .prepare<[{ id: number }], number>(
      `SELECT coalesce(
        (SELECT min(seq) - 1 FROM custom_holes WHERE timeline = @id AND is_given_up = 0),
        (SELECT last_seq FROM custom_timelines WHERE id = @id), 0)`,
    )
    .pluck()
  const holes = db.prepare<[number, number, number], HoleRow>(
    `SELECT seq, since, is_given_up FROM custom_holes
      WHERE timeline = +? AND seq >= +? AND seq <= +? ORDER BY seq LIMIT ${MAX_HOLES}`,
  )
  const lastChange = db.prepare<[], number>('SELECT max(change) FROM custom_timelines').pluck()
  const changed = db.prepare<[number], { id: number; name: string; change: number }>(
    'SELECT id, name, change FROM custom_timelines WHERE change > ? ORDER BY change',
  )
  return {
    find: (name) => find.get(name),
    visible: (id) => visible.get({ id }) ?? 0,
    read(id, { at, isForward, limit }) {
      const most = visible.get({ id }) ?? 0
      return (isForward ? up : down).all(id, at, most, limit).map(toEvent)
    },
    holes: (id, from, to) => joined(holes.all(id, from, to)),
    lastChange: () => lastChange.get() ?? 0,
    changedSince: (change) => changed.all(change),
  }
}

type HoleRow = { seq: number; since: number; is_given_up: number }

/** Joins adjacent holes of the same kind. */
function joined(rows: readonly HoleRow[]): Hole[] {
  const holes: Hole[] = []
  for (const { seq, since, is_given_up } of rows) {
    const isOpen = is_given_up === 0
    const last = holes.at(-1)
    if (last && last.to === seq - 1 && last.isOpen === isOpen) last.to = seq
    else holes.push({ from: seq, to: seq, since, isOpen })
  }
  return holes
}

function toEvent(row: Row): CustomEvent {
  const [seq, entityId, entityType, payload, producerTs, receivedAt] = row
  return { seq, entityId, entityType, payload, producerTs, receivedAt }
}
