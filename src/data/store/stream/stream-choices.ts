// Rows of what the stream leaves out (migrations/069-stream-choices.ts), and of the paces that say what each
// choice costs.

import type { StreamCursor } from '@slipstream/jetstream'
import { DAY_MS, HOUR_MS } from '../../../base/util/durations.ts'
import { asObject, parseJson } from '../../../base/util/json-object.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import {
  AUTHORS_ONLY,
  dayBytesAt,
  STREAM_LEVELS,
  type StreamLevel,
  type StreamPace,
} from './stream-levels.ts'

type StreamChoice = {
  level: StreamLevel
  /** Milliseconds; undefined if nothing was ever left out. */
  since: number | undefined
  /** Up to here the authors’ own stream has brought everything. */
  resume: StreamCursor | undefined
}

/** For the operator. `monthBytes`: 30 days with this choice; undefined until it is known. */
export type StreamChoiceFacts = {
  level: StreamLevel
  since: number | undefined
  choices: { name: string; monthBytes: number | undefined }[]
}

/** After this long, a measurement counts half. */
const HALF_LIFE_SECONDS = (3 * DAY_MS) / 1000
/** What came before is no longer brought by any host. */
const MOST_AWAY_MS = 36 * HOUR_MS
const RETAINED_CHOICES = 400
const MONTH_DAYS = 30

type ChoiceRow = { at: number; level: StreamLevel; resume: string | null }
type PaceRow = StreamPace & { measuredAt: number }

const statements = perDatabase((db) => ({
  latest: db.prepare<[], ChoiceRow>(
    'SELECT at, level, resume FROM stream_choices ORDER BY at DESC LIMIT 1',
  ),
  put: db.prepare<[number, number, string | null]>(
    'INSERT OR REPLACE INTO stream_choices (at, level, resume) VALUES (?, ?, ?)',
  ),
  prune: db.prepare<[number]>(
    'DELETE FROM stream_choices WHERE at NOT IN (SELECT at FROM stream_choices ORDER BY at DESC LIMIT ?)',
  ),
  resume: db.prepare<[string]>(
    'UPDATE stream_choices SET resume = ? WHERE at = (SELECT max(at) FROM stream_choices)',
  ),
  paces: db.prepare<[], PaceRow>(
    'SELECT kind, whose, bytes, seconds, measured_at AS measuredAt FROM stream_paces',
  ),
  putPace: db.prepare<[PaceRow]>(
    `INSERT OR REPLACE INTO stream_paces (kind, whose, bytes, seconds, measured_at)
      VALUES (:kind, :whose, :bytes, :seconds, :measuredAt)`,
  ),
}))

export function streamChoice(db: Db): StreamChoice {
  const row = statements(db).latest.get()
  if (!row) return { level: 0, since: undefined, resume: undefined }
  const resume = row.resume === null ? undefined : asObject(parseJson(row.resume))
  return { level: row.level, since: row.at, resume: resume as StreamCursor | undefined }
}

/** @param at - milliseconds; never before the choice that it replaces */
export function putStreamChoice(
  db: WriteDb,
  at: number,
  { level, resume }: Pick<StreamChoice, 'level' | 'resume'>,
): void {
  const { put, prune } = statements(db)
  const latest = streamChoice(db).since ?? 0
  put.run(Math.max(at, latest + 1), level, resume ? JSON.stringify(resume) : null)
  prune.run(RETAINED_CHOICES)
}

export function putStreamResume(db: WriteDb, resume: StreamCursor): void {
  statements(db).resume.run(JSON.stringify(resume))
}

export function streamPaces(db: Db): StreamPace[] {
  return statements(db).paces.all()
}

export function streamChoiceFacts(db: Db): StreamChoiceFacts {
  const { level, since } = streamChoice(db)
  const paces = streamPaces(db)
  const choices = STREAM_LEVELS.map(({ name }, i) => {
    const day = dayBytesAt(i, paces)
    return { name, monthBytes: day === undefined ? undefined : day * MONTH_DAYS }
  })
  return { level, since, choices }
}

/**
 * Adds what was received since the last call; the time since then counts even if the server was
 * away, since a host brings what was missed.
 * @param rows - what was received at this level; kinds that the level leaves out are the authors’
 */
export function addStreamPaces(
  db: WriteDb,
  now: number,
  level: StreamLevel,
  rows: readonly Pick<StreamPace, 'kind' | 'whose' | 'bytes'>[],
): void {
  const { paces, putPace } = statements(db)
  const before = new Map(paces.all().map((pace) => [keyOf(pace), pace]))
  const last = before.get(keyOf({ kind: '', whose: 'all' }))?.measuredAt ?? now
  const seconds = Math.min(MOST_AWAY_MS, Math.max(0, now - last)) / 1000
  const fades = 0.5 ** (seconds / HALF_LIFE_SECONDS)
  const added = new Map(rows.map((row) => [keyOf(row), row]))
  const measured = [...new Map([...before, ...added]).values()].filter(isMeasured(level))
  const common = before.get(keyOf({ kind: '', whose: 'all' }))?.seconds ?? 0
  for (const { kind, whose } of measured) {
    const key = keyOf({ kind, whose })
    const known = before.get(key)
    putPace.run({
      kind,
      whose,
      bytes: (known?.bytes ?? 0) * fades + (added.get(key)?.bytes ?? 0),
      // Of a kind of the network that never came so far, nothing came in all that time.
      seconds: (known?.seconds ?? (whose === 'all' ? common : 0)) * fades + seconds,
      measuredAt: now,
    })
  }
}

/** Of the whole network, what is left out is not measured; of the authors, only that is. */
function isMeasured(level: StreamLevel) {
  const left = new Set(STREAM_LEVELS[level]!.collections)
  return ({ kind, whose }: Pick<StreamPace, 'kind' | 'whose'>): boolean => {
    if (kind === '') return true
    const isLeftOut = level === AUTHORS_ONLY || left.has(kind)
    return (whose === 'authors') === isLeftOut
  }
}

function keyOf({ kind, whose }: Pick<StreamPace, 'kind' | 'whose'>): string {
  return `${whose} ${kind}`
}
