// Accounts: one row per DID that was ever interned, with the same uid as in memory.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase, returning } from '../per-database.ts'
import { bandOf } from '../search/actor-index.ts'
import { queueActor } from '../search/queue.ts'
import { invalidationsOf } from '../transact.ts'
import { ACTIVE, isHiddenStatus } from './status.ts'

type ActorRow = {
  uid: number
  did: string
  handle: string | null
  handle_valid: number
  identity_checked_at: number | null
  pds: string | null
  status: number
  rev: string | null
}

/** `status` is a code of status.ts, `status_at` the time of its event in microseconds. */
type ActorStatus = { status: number; status_at: number }

/** Amounts to add to an account's counts. */
export type ActorCounts = { follows: number; followers: number; posts: number }

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  insert: db.prepare<[number, string, number]>(
    'INSERT INTO actors (uid, did, indexed_at) VALUES (?, ?, ?)',
  ),
  find: db.prepare<[number], ActorRow>(
    'SELECT uid, did, handle, handle_valid, identity_checked_at, pds, status, rev FROM actors WHERE uid = ?',
  ),
  byDid: db.prepare<[string], number>('SELECT uid FROM actors WHERE did = ?').pluck(),
  followsCount: db
    .prepare<[number], number>('SELECT follows_count FROM actors WHERE uid = ?')
    .pluck(),
  status: db.prepare<[number], ActorStatus>('SELECT status, status_at FROM actors WHERE uid = ?'),
  isBetweenOthers: db
    .prepare<[number], number>(
      `SELECT 1 FROM lists l WHERE l.uid = ? AND (
        EXISTS (SELECT 1 FROM list_blocks lb WHERE lb.list = l.id)
        OR EXISTS (SELECT 1 FROM list_mutes lm WHERE lm.list = l.id)) LIMIT 1`,
    )
    .pluck(),
  setStatus: db.prepare<[number, number, number]>(
    'UPDATE actors SET status = ?, status_at = ? WHERE uid = ?',
  ),
  setRemoved: db.prepare<[number, number]>('UPDATE actors SET removed_at = ? WHERE uid = ?'),
  removed: db
    .prepare<[], [number, number]>(
      'SELECT uid, removed_at FROM actors WHERE removed_at IS NOT NULL',
    )
    .raw(),
  raiseRev: db.prepare<[string, number, string]>(
    'UPDATE actors SET rev = ? WHERE uid = ? AND (rev IS NULL OR rev < ?)',
  ),
  addCounts: db.prepare<[number, number, number, number]>(
    'UPDATE actors SET follows_count = follows_count + ?, followers_count = followers_count + ?, posts_count = posts_count + ? WHERE uid = ?',
  ),
  addFollowers: returning(
    db
      .prepare<[number, number, number, number], number>(
        'UPDATE actors SET follows_count = follows_count + ?, followers_count = followers_count + ?, posts_count = posts_count + ? WHERE uid = ? RETURNING followers_count',
      )
      .pluck(),
  ),
  freeHandle: returning(
    db
      .prepare<[string, number], number>(
        'UPDATE actors SET handle_valid = 0 WHERE handle = ? AND uid <> ? AND handle_valid = 1 RETURNING uid',
      )
      .pluck(),
  ),
  setIdentity: db.prepare<[string | null, number, string | null, number, number]>(
    'UPDATE actors SET handle = ?, handle_valid = ?, pds = ?, identity_checked_at = ? WHERE uid = ?',
  ),
  forgetIdentity: db.prepare<[number]>(
    'UPDATE actors SET identity_checked_at = NULL WHERE uid = ?',
  ),
  all: db
    .prepare<[number], [number, string]>('SELECT uid, did FROM actors WHERE uid > ? ORDER BY uid')
    .raw(),
  highest: db.prepare<[], number | null>('SELECT max(uid) FROM actors').pluck(),
  notActive: db
    .prepare<[], [number, number]>('SELECT uid, status FROM actors WHERE status <> 0')
    .raw(),
}))

export function insertActor(db: WriteDb, uid: number, did: string, indexedAt: number): void {
  const { insert, invalidations } = statements(db)
  insert.run(uid, did, indexedAt)
  invalidations.add(INVALIDATION.actor, uid)
}

export function findActor(db: Db, uid: number): ActorRow | undefined {
  return statements(db).find.get(uid)
}

/** Scans all accounts: for processes without the in-memory table. */
export function uidOfDid(db: Db, did: string): number | undefined {
  return statements(db).byDid.get(did)
}

export function actorStatus(db: Db, uid: number): ActorStatus | undefined {
  return statements(db).status.get(uid)
}

/**
 * A hidden account's lists neither block nor mute, so its status may change relations between
 * others.
 */
export function setActorStatus(db: WriteDb, uid: number, { status, status_at }: ActorStatus): void {
  const { status: find, setStatus, isBetweenOthers, invalidations } = statements(db)
  const before = find.get(uid)?.status ?? ACTIVE
  setStatus.run(status, status_at, uid)
  if (status === before) return
  invalidations.add(INVALIDATION.actor, uid)
  if (isHiddenStatus(status) === isHiddenStatus(before)) return
  if (isBetweenOthers.get(uid) !== undefined) invalidations.addEverything()
}

/** Records that the account was deleted; `at` is the time of its event, in microseconds. */
export function setActorRemoved(db: WriteDb, uid: number, at: number): void {
  statements(db).setRemoved.run(at, uid)
}

/** Pairs of uid and time, in microseconds, of all accounts that were ever deleted. */
export function removedActors(db: Db): [number, number][] {
  return statements(db).removed.all()
}

/** Never lowers the rev. */
export function raiseActorRev(db: WriteDb, uid: number, rev: string): void {
  statements(db).raiseRev.run(rev, uid, rev)
}

export function addActorCounts(db: WriteDb, uid: number, delta: ActorCounts): void {
  const { addCounts, addFollowers, invalidations } = statements(db)
  invalidations.add(INVALIDATION.actorCounts, uid)
  const { follows, followers, posts } = delta
  if (followers === 0) {
    addCounts.run(follows, followers, posts, uid)
    return
  }
  const count = addFollowers.get(follows, followers, posts, uid) ?? 0
  if (bandOf(count) !== bandOf(count - followers)) queueActor(db, uid)
}

/**
 * Stores the DID document's identity and the result of resolving its handle. A verified handle
 * belongs to one account: another that held it keeps it only as a claim.
 */
export function setActorIdentity(
  db: WriteDb,
  uid: number,
  identity: { handle: string | null; handleValid: boolean; pds: string | null; checkedAt: number },
): void {
  const { handle, handleValid, pds, checkedAt } = identity
  const { find, freeHandle, setIdentity, invalidations } = statements(db)
  const before = find.get(uid)
  const freed = handle !== null && handleValid ? freeHandle.all(handle, uid) : []
  for (const other of freed) {
    invalidations.add(INVALIDATION.actor, other)
    queueActor(db, other)
  }
  setIdentity.run(handle, handleValid ? 1 : 0, pds, checkedAt, uid)
  const isSame = before?.handle === handle && (before.handle_valid === 1) === handleValid
  if (isSame) return
  invalidations.add(INVALIDATION.actor, uid)
  queueActor(db, uid)
}

/** Makes the identity be looked up again; the known one stays until then. */
export function forgetActorIdentity(db: WriteDb, uid: number): void {
  statements(db).forgetIdentity.run(uid)
}

/** The highest uid; uids are dense. */
export function countActors(db: Db): number {
  return statements(db).highest.get() ?? 0
}

/** Pairs of uid and DID above `after`, in order of uid. Occupies the connection meanwhile. */
export function iterateActors(db: Db, after: number): IterableIterator<[number, string]> {
  return statements(db).all.iterate(after)
}

/** Pairs of uid and status code of all accounts that are not active. */
export function actorsNotActive(db: Db): [number, number][] {
  return statements(db).notActive.all()
}

/** The count as committed or flushed so far. */
export function followsCountOf(db: Db, uid: number): number {
  return statements(db).followsCount.get(uid) ?? 0
}
