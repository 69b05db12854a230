// Availability over the last thirty days: a bar of days and their incidents, read from the history. A slot
// without samples counts as not running, which is accurate to ten minutes, and to one minute for the last day;
// the time before a start is recorded beside the samples, and is exact.

import { DAY_MS, MINUTE_MS } from '../../base/util/durations.ts'
import {
  HISTORY_RINGS,
  type History,
  type HistoryRing,
  readHistory,
} from '../../data/store/counts/history.ts'
import { type Hole, readHoles } from '../../data/store/counts/history-holes.ts'
import type { Db } from '../../data/store/db.ts'

type Trouble = 'away' | 'ended' | 'failing' | 'late' | 'incomplete'
type Level = 'good' | 'notice' | 'bad' | 'none'

/** Times are milliseconds since 1970. */
export type Incident = { from: number; to: number; level: Level; title: string }

export type Day = {
  /** Start of the day, in UTC. */
  at: number
  /** `none` if nothing is known of the day. */
  level: Level
  /** Of the known part of the day. */
  upShare: number | undefined
  troubledMs: number
}

export type Availability = {
  days: Day[]
  /** Of the whole known time. */
  upShare: number | undefined
  /** Start and end of the known time, in milliseconds since 1970. */
  known: { from: number; to: number } | undefined
  /** Whether it was connected to the network at any time. */
  hasReached: boolean
  /** Newest first. */
  incidents: Incident[]
}

/** Series that a slot is judged by. */
const SERIES = ['failures_s', 'requests_s', 'lag_ms', 'open_gaps'] as const
type Judged = (typeof SERIES)[number]

/** `ends`: how many processes ended by themselves, of a slot with that trouble. */
type Slot = { from: number; to: number; trouble: Trouble | undefined; ends?: number | undefined }

export const AVAILABILITY_DAYS = 30
const LATE_MS = MINUTE_MS
const FAILURE_SHARE = 0.01
/** A day with this much trouble is bad. */
const BAD_MS = 10 * MINUTE_MS

/** Title of times without samples. */
const NOT_RUNNING = 'Not running'
/** The same, if the process before was not stopped. */
const ENDED = 'Ended unexpectedly'

const TROUBLES: Record<Trouble, { level: Level; title: string }> = {
  away: { level: 'bad', title: NOT_RUNNING },
  ended: { level: 'bad', title: ENDED },
  failing: { level: 'bad', title: 'Answers failed' },
  late: { level: 'notice', title: 'Behind the network' },
  incomplete: { level: 'notice', title: 'Events missing, being mended' },
}

export function readAvailability(db: Db, now: number): Availability {
  const slots = withHoles(readSlots(db, now), readHoles(db))
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const days = Array.from(
    { length: AVAILABILITY_DAYS },
    (_, i) => today - (AVAILABILITY_DAYS - 1 - i) * DAY_MS,
  )
  return {
    days: days.map((at) => dayOf(at, slots)),
    upShare: upShareOf(slots),
    known: slots.length === 0 ? undefined : { from: slots[0]!.from, to: slots.at(-1)!.to },
    hasReached: hasReached(slots),
    incidents: incidentsOf(slots).reverse(),
  }
}

/**
 * Slots of ten minutes, then of one minute, from the first known one on. Excludes the slot being
 * written.
 */
function readSlots(db: Db, now: number): Slot[] {
  const ringOf = (wanted: HistoryRing['name']) => HISTORY_RINGS.find(({ name }) => name === wanted)!
  const [fine, coarse] = [ringOf('day'), ringOf('month')]
  const coarseMs = coarse.stepSeconds * 1000
  const fineFrom = Math.ceil((now - fine.slots * fine.stepSeconds * 1000) / coarseMs) * coarseMs
  const older = slotsOf(coarse, readHistory(db, coarse, { now, series: SERIES }), fineFrom)
  const newer = readHistory(db, fine, { now, series: SERIES })
  const begin = older.length > 0 ? fineFrom : newer.at[0]
  return begin === undefined ? [] : [...older, ...slotsOf(fine, newer, now, begin)]
}

/** Slots from `begin`, or from the first known one, that end by `end`. */
function slotsOf(
  ring: HistoryRing,
  history: History<Judged>,
  end: number,
  begin = history.at[0],
): Slot[] {
  if (begin === undefined) return []
  const stepMs = ring.stepSeconds * 1000
  const positions = new Map(history.at.map((at, i) => [at, i]))
  const slots: Slot[] = []
  for (let from = begin; from + stepMs <= end; from += stepMs) {
    const rank = positions.get(from)
    const trouble = rank === undefined ? 'away' : troubleOf((name) => history.series[name][rank])
    slots.push({ from, to: from + stepMs, trouble })
  }
  return slots
}

/** Cuts the slots where a hole begins or ends; a hole may end after the last one. */
function withHoles(slots: readonly Slot[], holes: readonly Hole[]): Slot[] {
  const end = slots.at(-1)?.to
  const last = holes.at(-1)
  if (end === undefined || last === undefined) return [...slots]
  const open: Slot = { from: end, to: last.to, trouble: undefined }
  const all = [...beforeAll(slots, holes), ...slots, ...(last.to > end ? [open] : [])]
  return holes.reduce((cut, hole) => cut.flatMap((slot) => cutAt(slot, hole)), all)
}

/** A server that kept ending until its first sample. */
function beforeAll([first]: readonly Slot[], holes: readonly Hole[]): Slot[] {
  const until = first!.from
  const isBefore = ({ from, to, ends }: Hole) =>
    ends !== undefined && from < until && to >= until - MINUTE_MS
  return holes.filter(isBefore).map(({ from }) => ({ from, to: until, trouble: undefined }))
}

function cutAt(slot: Slot, hole: Hole): Slot[] {
  const from = Math.max(slot.from, hole.from)
  const to = Math.min(slot.to, hole.to)
  const { ends } = hole
  const trouble = ends === undefined ? 'away' : 'ended'
  if (from >= to || slot.trouble === trouble) return [slot]
  const parts: Slot[] = [
    { ...slot, to: from },
    { from, to, trouble, ends },
    { ...slot, from: to },
  ]
  return parts.filter((part) => part.from < part.to)
}

/** A server without a network shows a lag after a minute; if none shows by then, the network was there. */
function hasReached(slots: readonly Slot[]): boolean {
  let startedAt = slots[0]?.from ?? 0
  for (const { from, to, trouble } of slots) {
    if (isDown(trouble)) startedAt = to
    if (trouble === undefined && from - startedAt >= 2 * LATE_MS) return true
  }
  return false
}

function isDown(trouble: Trouble | undefined): boolean {
  return trouble === 'away' || trouble === 'ended'
}

/** Whether an incident is of a time in which the server did not run. */
export function isAbsence({ title }: Incident): boolean {
  return title === NOT_RUNNING || title.startsWith(ENDED)
}

function troubleOf(value: (name: Judged) => number | null | undefined): Trouble | undefined {
  const failures = value('failures_s') ?? 0
  if (failures > 0 && failures > FAILURE_SHARE * (value('requests_s') ?? 0)) return 'failing'
  if ((value('lag_ms') ?? 0) > LATE_MS) return 'late'
  return (value('open_gaps') ?? 0) > 0 ? 'incomplete' : undefined
}

function dayOf(at: number, slots: readonly Slot[]): Day {
  const its = slots.filter(({ from }) => from >= at && from < at + DAY_MS)
  const ofLevel = (level: Level) =>
    its.filter(({ trouble }) => trouble !== undefined && TROUBLES[trouble].level === level)
  const [bad, notice] = [lengthOf(ofLevel('bad')), lengthOf(ofLevel('notice'))]
  const complete = bad + notice > 0 ? 'notice' : 'good'
  const level = bad >= BAD_MS ? 'bad' : complete
  return {
    at,
    level: its.length === 0 ? 'none' : level,
    upShare: upShareOf(its),
    troubledMs: bad + notice,
  }
}

function upShareOf(slots: readonly Slot[]): number | undefined {
  const away = slots.filter(({ trouble }) => isDown(trouble))
  return slots.length === 0 ? undefined : 1 - lengthOf(away) / lengthOf(slots)
}

function lengthOf(slots: readonly Slot[]): number {
  return slots.reduce((sum, { from, to }) => sum + to - from, 0)
}

/** Merges consecutive slots with the same trouble into one incident. */
function incidentsOf(slots: readonly Slot[]): Incident[] {
  const incidents: Incident[] = []
  let last: Trouble | undefined
  for (const { from, to, trouble, ends = 1 } of slots) {
    if (trouble !== undefined && trouble === last) incidents.at(-1)!.to = to
    else if (trouble !== undefined) {
      const { level, title } = TROUBLES[trouble]
      const times = ends > 1 ? `, ${ends} times` : ''
      incidents.push({ from, to, level, title: `${title}${times}` })
    }
    last = trouble
  }
  return incidents
}
