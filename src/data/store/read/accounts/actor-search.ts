// Reads the index of account names, in its order: most followed first. A place in it is a row id, see
// search/actor-index.ts.

import type { ActorNames } from '../../search/actor-terms.ts'
import { type Db, idList } from '../id-list.ts'

export type ActorPosition = { uid: number; place: number }
export type NamedPosition = ActorPosition & ActorNames
export type ActorSearch = ReturnType<typeof prepareActorSearch>

const POSITION = '((63 - s.band) << 31) | s.uid'

export function prepareActorSearch(db: Db) {
  const byWords = db.prepare<[string, number, number], ActorPosition>(
    `SELECT rowid & 2147483647 AS uid, rowid AS place FROM actor_words
      WHERE actor_words MATCH ? AND rowid > CAST(? AS INTEGER) ORDER BY rowid LIMIT ?`,
  )
  const byParts = db.prepare<[string, number, number], NamedPosition>(
    `SELECT s.uid, p.rowid AS place, s.handle, s.name FROM actor_parts p
      CROSS JOIN search_actors s ON s.uid = p.rowid & 2147483647
      WHERE actor_parts MATCH ? AND p.rowid > CAST(? AS INTEGER) ORDER BY p.rowid LIMIT ?`,
  )
  const names = db.prepare<[string], NamedPosition>(
    `SELECT s.uid, ${POSITION} AS place, s.handle, s.name FROM json_each(?) ids
      CROSS JOIN search_actors s ON s.uid = ids.value`,
  )
  const followers = db
    .prepare<[string], [uid: number, followers: number]>(
      `SELECT a.uid, a.followers_count FROM json_each(?) ids
        CROSS JOIN actors a ON a.uid = ids.value`,
    )
    .raw()
  return {
    /**
     * Accounts whose words match all of these prefixes (of data/store/search/actor-terms.ts), behind a
     * place.
     */
    byWords: (words: readonly string[], after: number, limit: number): ActorPosition[] =>
      byWords.all(words.map((word) => `"${word}" *`).join(' AND '), after, limit),
    /** Accounts whose handle has all of these parts. */
    byParts: (parts: readonly string[], after: number, limit: number): NamedPosition[] =>
      byParts.all(parts.map((part) => `"${part}"`).join(' AND '), after, limit),
    /** The accounts among these that are in the index. */
    names: (uids: Iterable<number>): NamedPosition[] => names.all(idList(uids)),
    followersOf: (uids: Iterable<number>): Map<number, number> =>
      new Map(followers.all(idList(uids)) as unknown as [number, number][]),
  }
}
