// Accounts whose recent past is requested from the stream, and the replays that fetch it.

import type { StreamCursor } from '@slipstream/jetstream'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

export type Replay = {
  id: number
  /** Microseconds of the stream's time. */
  fromUs: number
  /** Milliseconds of our clock. */
  startedAt: number
  /** Progress; undefined before its first event. */
  cursor: StreamCursor | undefined
  /** Start of the host's window, if later than `fromUs`. */
  windowUs: number | undefined
}

type Row = {
  id: number
  from_us: number
  started_at: number
  window_us: number | null
  host: string | null
  wire: 'v1' | 'v2'
  seq: number | null
  time_us: number
}

const statements = perDatabase((db) => ({
  want: db.prepare<[number, number]>(
    `INSERT INTO replay_accounts (uid, wanted_at) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET replay = NULL, wanted_at = excluded.wanted_at`,
  ),
  unwant: db.prepare<[number]>('DELETE FROM replay_accounts WHERE uid = ?'),
  waiting: db.prepare<[], { count: number; since: number | null }>(
    'SELECT count(*) AS count, min(wanted_at) AS since FROM replay_accounts WHERE replay IS NULL',
  ),
  someWaiting: db
    .prepare<[number], number>('SELECT uid FROM replay_accounts WHERE replay IS NULL LIMIT ?')
    .pluck(),
  create: db.prepare<[number, number]>('INSERT INTO replays (from_us, started_at) VALUES (?, ?)'),
  take: db.prepare<[number, number]>(
    `UPDATE replay_accounts SET replay = ? WHERE uid IN
      (SELECT uid FROM replay_accounts WHERE replay IS NULL ORDER BY uid LIMIT ?)`,
  ),
  all: db.prepare<[], Row>('SELECT * FROM replays ORDER BY id'),
  accounts: db
    .prepare<[number], number>('SELECT uid FROM replay_accounts WHERE replay = ?')
    .pluck(),
  reach: db.prepare<[string, string, number | null, number, number]>(
    'UPDATE replays SET host = ?, wire = ?, seq = ?, time_us = ? WHERE id = ?',
  ),
  clamp: db.prepare<[number, number]>(
    'UPDATE replays SET window_us = max(coalesce(window_us, 0), ?) WHERE id = ?',
  ),
  release: db.prepare<[number]>('DELETE FROM replay_accounts WHERE replay = ?'),
  remove: db.prepare<[number]>('DELETE FROM replays WHERE id = ?'),
  ofThese: db.prepare<[string], { replay: number | null; count: number }>(
    `SELECT replay, count(*) AS count FROM json_each(?) ids
      CROSS JOIN replay_accounts ON uid = ids.value GROUP BY replay`,
  ),
}))

/** Requests the account's recent past, again even if a replay is under way. */
export function requestReplay(db: WriteDb, uid: number, at: number): void {
  statements(db).want.run(uid, at)
}

/** Drops a request that is no longer needed, or met another way. */
export function unwantReplay(db: WriteDb, uid: number): void {
  statements(db).unwant.run(uid)
}

/** Number of accounts waiting for a replay, and since when the first waits (our clock). */
export function requestedReplays(db: Db): { count: number; since: number | undefined } {
  const { count, since } = statements(db).waiting.get()!
  return { count, since: since ?? undefined }
}

/** uids of some accounts that wait. */
export function accountsWaiting(db: Db, limit: number): number[] {
  return statements(db).someWaiting.all(limit)
}

/** Creates a replay of up to `limit` waiting accounts. */
export function createReplay(
  db: WriteDb,
  options: { fromUs: number; now: number; limit: number },
): Replay {
  const { create, take } = statements(db)
  const { fromUs, now, limit } = options
  const id = Number(create.run(fromUs, now).lastInsertRowid)
  take.run(id, limit)
  return { id, fromUs, startedAt: now, cursor: undefined, windowUs: undefined }
}

/** Unfinished replays, oldest first. */
export function allReplays(db: Db): Replay[] {
  return statements(db).all.all().map(toReplay)
}

/** uids. */
export function accountsOfReplay(db: Db, id: number): number[] {
  return statements(db).accounts.all(id)
}

export function setReplayCursor(db: WriteDb, id: number, cursor: StreamCursor): void {
  const { host, wire, seq, timeUs } = cursor
  statements(db).reach.run(host, wire, seq ?? null, timeUs, id)
}

/** Records that the host's window begins later than requested. */
export function setReplayWindow(db: WriteDb, id: number, windowUs: number): void {
  statements(db).clamp.run(windowUs, id)
}

/** Deletes a finished replay with its accounts. */
export function deleteReplay(db: WriteDb, id: number): void {
  statements(db).release.run(id)
  statements(db).remove.run(id)
}

/** For these uids: how many wait, and how many are in each running replay. */
export function replaysOf(
  db: Db,
  uids: readonly number[],
): { waiting: number; running: Map<number, number> } {
  const running = new Map<number, number>()
  let waiting = 0
  for (const { replay, count } of statements(db).ofThese.all(JSON.stringify(uids))) {
    if (replay === null) waiting = count
    else running.set(replay, count)
  }
  return { waiting, running }
}

function toReplay({ id, from_us, started_at, window_us, ...at }: Row): Replay {
  const { host, wire, seq, time_us: timeUs } = at
  const cursor = host === null ? undefined : { host, wire, seq: seq ?? undefined, timeUs }
  return {
    id,
    fromUs: from_us,
    startedAt: started_at,
    cursor,
    windowUs: window_us ?? undefined,
  }
}
