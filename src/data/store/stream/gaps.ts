// Gaps in the received events, each a row from its discovery until long after it was closed. A gap belongs to
// the whole stream (a range of time on a host) or to one account (its repository must be compared). Nearby
// holes are one gap: a stream's gap not yet under repair is widened, and an account has at most one unclosed
// gap. So rows never exceed MAX_OPEN_STREAM_GAPS, MAX_OPEN_ACCOUNT_GAPS and RETAINED_CLOSED_GAPS; beyond that,
// accounts share one row, of uid 0.

import type { StreamGap } from '@slipstream/jetstream'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

/**
 * - `cursor-too-old`, `outdated-cursor`: disconnected for longer than the host's window
 * - `host-switch`: the host numbers its events differently
 * - `dropped-frame`: an unreadable frame
 * - `broken-event`: an unreadable event of this account
 * - `sync`: the account's repository was replaced
 * - `returned`: the account was inactive, and its events may be missing
 * - `moved`: the account has another PDS
 * - `unreachable`: the source for a gap's repair could not be read
 */
export type GapCause = StreamGap['cause'] | 'sync' | 'returned' | 'moved' | 'unreachable'

type GapState = 'open' | 'repairing' | 'closed'

/** Times since 1970: `…Us` in microseconds, the others in milliseconds. */
export type Gap = {
  id: number
  cause: GapCause
  /** Host where it was noticed; undefined for an account's gap. */
  host: string | undefined
  /** The account; undefined for the stream's gaps, and for the row that many accounts share. */
  did: string | undefined
  /** Time since which events may be missing; 0 if unknown. */
  fromUs: number
  toUs: number
  state: GapState
  foundAt: number
  closedAt: number | undefined
  /** `replayed from …`, `compared`, or why no repair was needed. */
  how: string | undefined
  /** Parts that could not be repaired. */
  note: string | undefined
  /** How often it was found. */
  times: number
  /** Kind of repair: replaying a stream, or comparing repositories. */
  step: 'replay' | 'compare' | undefined
  /** Replay: time reached, in microseconds; compare: uid of the last account requested. */
  reached: number
  compared: number
  unreachable: number
}

export type GapCounts = Record<GapState, number>

const MAX_OPEN_STREAM_GAPS = 200
const MAX_OPEN_ACCOUNT_GAPS = 2_000
export const RETAINED_CLOSED_GAPS = 1_000
/** Holes closer together than this are one gap. */
const NEAR_US = 60_000_000

type Row = Omit<Gap, 'host' | 'did' | 'closedAt' | 'how' | 'note' | 'step'> & {
  host: string
  did: string | null
  closedAt: number | null
  how: string | null
  note: string | null
  step: 'replay' | 'compare' | null
}

const COLUMNS = `g.id, g.cause, g.host, a.did, g.from_us AS fromUs, g.to_us AS toUs, g.state,
  g.found_at AS foundAt, g.closed_at AS closedAt, g.how, g.note, g.times, g.step, g.reached,
  g.compared, g.unreachable`
const FROM = 'FROM gaps g LEFT JOIN actors a ON a.uid = g.uid'

const statements = perDatabase((db) => ({
  // Unclosed gaps and few closed ones: all are read.
  removeOf: db.prepare<[number]>('DELETE FROM gaps WHERE uid = ?'),
  insert: db.prepare<[string, number | null, number, number, string, number]>(
    'INSERT INTO gaps (host, uid, from_us, to_us, cause, found_at) VALUES (?, ?, ?, ?, ?, ?)',
  ),
  near: db
    .prepare<[number, number], number>(
      `SELECT id FROM gaps WHERE state = 'open' AND uid IS NULL AND step IS NULL
        AND from_us <= ? AND to_us >= ? ORDER BY id LIMIT 1`,
    )
    .pluck(),
  lastOpen: db
    .prepare<[], number>(
      "SELECT id FROM gaps WHERE state = 'open' AND uid IS NULL AND step IS NULL ORDER BY id DESC LIMIT 1",
    )
    .pluck(),
  ofAccount: db
    .prepare<[number], number>("SELECT id FROM gaps WHERE uid = ? AND state <> 'closed'")
    .pluck(),
  ofAccounts: db.prepare<[string], Row>(
    `SELECT ${COLUMNS} FROM json_each(?) ids CROSS JOIN gaps g ON g.uid = ids.value
      LEFT JOIN actors a ON a.uid = g.uid WHERE g.state <> 'closed' ORDER BY g.id`,
  ),
  closedSince: db
    .prepare<[number, number], number>(
      "SELECT count(*) FROM gaps WHERE state = 'closed' AND closed_at > ? AND uid = ?",
    )
    .pluck(),
  widen: db.prepare<[number, number, number]>(
    `UPDATE gaps SET from_us = min(from_us, ?), to_us = max(to_us, ?), times = times + 1, retry_at = 0
      WHERE id = ?`,
  ),
  blame: db.prepare<[GapCause, string, number]>('UPDATE gaps SET cause = ?, host = ? WHERE id = ?'),
  countOpen: db
    .prepare<[number], number>(
      `SELECT count(*) FROM gaps
        WHERE state <> 'closed' AND (uid IS NOT NULL) = ?`,
    )
    .pluck(),
  counts: db.prepare<[], { state: GapState; count: number }>(
    'SELECT state, count(*) AS count FROM gaps GROUP BY state',
  ),
  list: db.prepare<[number, number], Row>(
    `SELECT ${COLUMNS} ${FROM} WHERE g.id < ? ORDER BY g.state = 'closed', g.id DESC LIMIT ?`,
  ),
  open: db.prepare<[number], Row>(
    `SELECT ${COLUMNS} ${FROM} WHERE g.state <> 'closed' AND g.uid IS NULL AND g.retry_at <= ?
      ORDER BY g.id`,
  ),
  touching: db.prepare<[number, number], Row>(
    `SELECT ${COLUMNS} ${FROM} WHERE g.state <> 'closed' AND (g.uid IS NULL OR g.uid = 0)
      AND g.from_us <= ? AND g.to_us >= ? ORDER BY g.id`,
  ),
  accounts: db
    .prepare<[number, number], number>(
      `SELECT uid FROM gaps WHERE state <> 'closed' AND uid > 0 AND from_us <= ? AND to_us >= ?`,
    )
    .pluck(),
}))

export function gapCounts(db: Db): GapCounts {
  const counts: GapCounts = { open: 0, repairing: 0, closed: 0 }
  for (const { state, count } of statements(db).counts.all()) counts[state] = count
  return counts
}

/** Unclosed gaps first, each group newest first. At most `limit` rows. */
export function listGaps(db: Db, { limit }: { limit: number }): Gap[] {
  return statements(db).list.all(Number.MAX_SAFE_INTEGER, limit).map(toGap)
}

/** Unclosed gaps of the stream that are not put off at `now`, oldest first. */
export function streamGaps(db: Db, now: number = Number.MAX_SAFE_INTEGER): Gap[] {
  return statements(db).open.all(now).map(toGap)
}

/** Unclosed gaps of the stream within these times, in microseconds. */
export function gapsTouching(db: Db, range: { fromUs: number; toUs: number }): Gap[] {
  return statements(db).touching.all(range.toUs, range.fromUs).map(toGap)
}

/** Accounts (uids) with an unclosed gap of their own within these times. */
export function accountsWithGaps(db: Db, range: { fromUs: number; toUs: number }): number[] {
  return statements(db).accounts.all(range.toUs, range.fromUs)
}

/** Unclosed gaps of these accounts. */
export function accountGaps(db: Db, uids: readonly number[]): Gap[] {
  return statements(db).ofAccounts.all(JSON.stringify(uids)).map(toGap)
}

/**
 * Adds a gap of the whole stream.
 * @returns its id
 */
export function insertGap(db: WriteDb, gap: StreamGap, foundAt: number): number {
  const { insert, near, lastOpen, countOpen, widen, blame } = statements(db)
  const { host, fromUs, toUs, cause } = gap
  const isFull = (countOpen.get(0) ?? 0) >= MAX_OPEN_STREAM_GAPS
  const other = near.get(toUs + NEAR_US, fromUs - NEAR_US) ?? (isFull ? lastOpen.get() : undefined)
  if (other === undefined) {
    return Number(insert.run(host, null, fromUs, toUs, cause, foundAt).lastInsertRowid)
  }
  widen.run(fromUs, toUs, other)
  // The host matters only for this cause: it can't repair the gap (ingest/replay/gap-repair.ts).
  if (cause === 'host-switch') blame.run(cause, host, other)
  return other
}

/** Adds a gap of one account, or widens the one that it has. */
export function insertAccountGap(
  db: WriteDb,
  gap: { uid: number; cause: GapCause; fromUs: number; toUs: number },
  foundAt: number,
): void {
  const { insert, ofAccount, countOpen, widen } = statements(db)
  const { cause, fromUs, toUs } = gap
  let other = ofAccount.get(gap.uid)
  const isFull = other === undefined && (countOpen.get(1) ?? 0) >= MAX_OPEN_ACCOUNT_GAPS
  if (isFull) other = ofAccount.get(0)
  if (other !== undefined) widen.run(fromUs, toUs, other)
  else insert.run('', isFull ? 0 : gap.uid, fromUs, toUs, cause, foundAt)
}

/** How many gaps of this account were closed after that moment. */
export function countClosedGapsSince(db: Db, uid: number, since: number): number {
  return statements(db).closedSince.get(since, uid)!
}

/** For an account that is deleted. */
export function deleteGapsOf(db: WriteDb, uid: number): void {
  statements(db).removeOf.run(uid)
}

/** The id of this account's unclosed gap, if any. */
export function openAccountGap(db: Db, uid: number): number | undefined {
  return statements(db).ofAccount.get(uid)
}

function toGap(row: Row): Gap {
  return {
    ...row,
    host: row.host === '' ? undefined : row.host,
    did: row.did ?? undefined,
    closedAt: row.closedAt ?? undefined,
    how: row.how ?? undefined,
    note: row.note ?? undefined,
    step: row.step ?? undefined,
  }
}
