// Timelines that programs write, as readers see them: up to the first place still awaited.

import type { Db } from '../../../../data/store/read/id-list.ts'
import type { ArrivalRange } from './arrivals.ts'

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

/** A stretch of skipped numbers, inclusive; `isOpen`: they may still arrive. */
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

/** As many as a timeline has: open ones, and those given up (features/timelines/store/programs/custom-numbers.ts). */
const MAX_HOLES = 2_000

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
        (SELECT seq - 1 FROM custom_holes INDEXED BY custom_holes_open
          WHERE timeline = @id AND is_given_up = 0 ORDER BY seq LIMIT 1),
        (SELECT last_seq FROM custom_timelines WHERE id = @id), 0)`,
    )
    .pluck()
  const holes = db.prepare<[{ id: number; from: number; to: number }], HoleRow>(
    `SELECT seq, count, since, is_given_up FROM custom_holes
      WHERE timeline = @id AND seq <= @to AND seq >= coalesce(
        (SELECT seq FROM custom_holes WHERE timeline = @id AND seq < @from ORDER BY seq DESC LIMIT 1), @from)
      ORDER BY seq LIMIT ${MAX_HOLES}`,
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
    holes: (id, from, to) => within(joined(holes.all({ id, from, to })), from, to),
    lastChange: () => lastChange.get() ?? 0,
    changedSince: (change) => changed.all(change),
  }
}

type HoleRow = { seq: number; count: number; since: number; is_given_up: number }

/** Joins adjacent holes of the same kind. */
function joined(rows: readonly HoleRow[]): Hole[] {
  const holes: Hole[] = []
  for (const { seq, count, since, is_given_up } of rows) {
    const isOpen = is_given_up === 0
    const last = holes.at(-1)
    const to = seq + count - 1
    if (last && last.to === seq - 1 && last.isOpen === isOpen) last.to = to
    else holes.push({ from: seq, to, since, isOpen })
  }
  return holes
}

/** The parts of holes that are within these numbers. */
function within(holes: readonly Hole[], from: number, to: number): Hole[] {
  return holes
    .filter((hole) => hole.to >= from)
    .map((hole) => ({ ...hole, from: Math.max(hole.from, from), to: Math.min(hole.to, to) }))
}

function toEvent(row: Row): CustomEvent {
  const [seq, entityId, entityType, payload, producerTs, receivedAt] = row
  return { seq, entityId, entityType, payload, producerTs, receivedAt }
}
