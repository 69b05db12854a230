// Records hidden by the operator, for views. Accounts hidden by the operator are hidden by their status.

import { collectionCodes } from '../../../../base/atproto/collections.ts'
import { type Db, idList } from '../id-list.ts'

export type TakedownReader = {
  /** Whether any record is hidden at all. */
  isAny(): boolean
  /** Whether anything is hidden, including accounts and blobs. */
  isAnything(): boolean
  /** The subjects among these that are hidden: DIDs and at-URIs. */
  among(subjects: readonly string[]): string[]
  /** The lists among these that are hidden; lists.id. */
  lists(ids: Iterable<number>): number[]
}

const LIST = collectionCodes['app.bsky.graph.list']

export function prepareTakedowns(db: Db): TakedownReader {
  const any = db.prepare<[], number>('SELECT 1 FROM takedowns WHERE collection > 0 LIMIT 1').pluck()
  const anything = db.prepare<[], number>('SELECT 1 FROM takedowns LIMIT 1').pluck()
  const among = db
    .prepare<[string], string>(
      'SELECT subject FROM takedowns WHERE subject IN (SELECT value FROM json_each(?))',
    )
    .pluck()
  const lists = db
    .prepare<[string], number>(
      `SELECT l.id FROM json_each(?) ids CROSS JOIN lists l ON l.id = ids.value
        CROSS JOIN takedowns t ON t.uid = l.uid AND t.collection = ${LIST} AND t.rkey = l.rkey`,
    )
    .pluck()
  return {
    isAny: () => any.get() !== undefined,
    isAnything: () => anything.get() !== undefined,
    among: (subjects) => among.all(JSON.stringify(subjects)),
    lists: (ids) => lists.all(idList(ids)),
  }
}
