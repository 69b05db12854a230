// The index of account names. Its order is the order of results: by follower count, most followed first, in
// bands of a power of two, so that an account seldom moves.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { type ActorNames, actorParts, actorTerms } from './actor-terms.ts'

/** Above any band. A row id is (TOP_BAND - band) * 2^31 + uid. */
const TOP_BAND = 63
/** Most accounts have fewer and share one band. */
const LOWEST_BAND_FOLLOWERS = 8

type ActorToIndex = {
  uid: number
  handle: string | null
  followers: number
  profile: string | null
}

export type IndexedActor = ActorNames & { uid: number; band: number }

const statements = perDatabase((db) => ({
  source: db.prepare<[number], ActorToIndex>(
    `SELECT a.uid, CASE WHEN a.handle_valid THEN a.handle END AS handle,
      a.followers_count AS followers, CAST(p.record AS TEXT) AS profile
      FROM actors a LEFT JOIN profiles p ON p.uid = a.uid WHERE a.uid = ?`,
  ),
  below: db
    .prepare<[number, number], number>(
      'SELECT uid FROM actors WHERE uid < ? ORDER BY uid DESC LIMIT ?',
    )
    .pluck(),
  find: db.prepare<[number], IndexedActor>(
    'SELECT uid, band, handle, name FROM search_actors WHERE uid = ?',
  ),
  put: db.prepare<[IndexedActor]>(
    `INSERT OR REPLACE INTO search_actors (uid, band, handle, name)
      VALUES (@uid, @band, @handle, @name)`,
  ),
  remove: db.prepare<[number]>('DELETE FROM search_actors WHERE uid = ?'),
  addWords: db.prepare<[number, number, string]>(
    'INSERT INTO actor_words (rowid, words) VALUES ((? << 31) | ?, ?)',
  ),
  addParts: db.prepare<[number, number, string]>(
    'INSERT INTO actor_parts (rowid, parts) VALUES ((? << 31) | ?, ?)',
  ),
  removeWords: db.prepare<[number, number, string]>(
    "INSERT INTO actor_words (actor_words, rowid, words) VALUES ('delete', (? << 31) | ?, ?)",
  ),
  removeParts: db.prepare<[number, number, string]>(
    "INSERT INTO actor_parts (actor_parts, rowid, parts) VALUES ('delete', (? << 31) | ?, ?)",
  ),
}))

export function bandOf(followers: number): number {
  return followers < LOWEST_BAND_FOLLOWERS ? 0 : Math.floor(Math.log2(followers)) - 2
}

/** Reads the current rows. */
export function actorToIndex(db: Db, uid: number): ActorToIndex | undefined {
  return statements(db).source.get(uid)
}

export function actorsBelow(db: Db, uid: number, limit: number): number[] {
  return statements(db).below.all(uid, limit)
}

export function indexedActor(db: Db, uid: number): IndexedActor | undefined {
  return statements(db).find.get(uid)
}

export function toIndexedActor(uid: number, names: ActorNames, followers: number): IndexedActor {
  return { uid, band: bandOf(followers), ...names }
}

/** The entry as indexed and as it should be; undefined if it has no names, or is not indexed. */
type ActorChange = { before: IndexedActor | undefined; after: IndexedActor | undefined }

/** Writes in row order; otherwise the index would write a segment for every row. */
export function changeIndexedActors(db: WriteDb, changes: readonly ActorChange[]): void {
  const real = changes
    .map(({ before, after }) => ({ before, after: after && isNamed(after) ? after : undefined }))
    .filter(({ before, after }) => !isSame(before, after))
  const { remove, put } = statements(db)
  for (const actor of inOrder(real.map(({ before }) => before))) takeOut(db, actor)
  for (const { before, after } of real) if (before && !after) remove.run(before.uid)
  for (const actor of inOrder(real.map(({ after }) => after))) {
    put.run(actor)
    putIn(db, actor)
  }
}

function inOrder(actors: (IndexedActor | undefined)[]): IndexedActor[] {
  const some = actors.filter((actor) => actor !== undefined)
  return some.sort((a, b) => b.band - a.band || a.uid - b.uid)
}

function putIn(db: WriteDb, actor: IndexedActor): void {
  const { addWords, addParts } = statements(db)
  const parts = actorParts(actor)
  addWords.run(TOP_BAND - actor.band, actor.uid, actorTerms(actor).join(' '))
  if (parts.length > 0) addParts.run(TOP_BAND - actor.band, actor.uid, parts.join(' '))
}

function takeOut(db: WriteDb, actor: IndexedActor): void {
  const { removeWords, removeParts } = statements(db)
  const parts = actorParts(actor)
  removeWords.run(TOP_BAND - actor.band, actor.uid, actorTerms(actor).join(' '))
  if (parts.length > 0) removeParts.run(TOP_BAND - actor.band, actor.uid, parts.join(' '))
}

function isNamed({ handle, name }: ActorNames): boolean {
  return handle !== '' || name !== ''
}

function isSame(before: IndexedActor | undefined, after: IndexedActor | undefined): boolean {
  if (!before || !after) return before === after
  return before.band === after.band && before.handle === after.handle && before.name === after.name
}
