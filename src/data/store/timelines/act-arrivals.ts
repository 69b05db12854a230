// The order in which members' likes and follows arrived: a number for each, which is never given again.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { arrivalTime } from './arrivals.ts'

type ActKey = { uid: number; collection: number; rkey: PackedRkey }

export type ActArrival = ActKey & {
  cid: Buffer
  /** The account, or the owner of the record. */
  subjectUid: number
  /** The record; null: the account itself. */
  subjectCollection: number | null
  subjectRkey: PackedRkey | null
  /** Milliseconds, as the record says. */
  createdAt: number
}

const statements = perDatabase((db) => ({
  add: db.prepare<[ActArrival & { at: number }]>(
    `INSERT OR REPLACE INTO act_arrivals
        (uid, collection, rkey, cid, subject_uid, subject_collection, subject_rkey, created_at, at)
      VALUES (@uid, @collection, @rkey, @cid, @subjectUid, @subjectCollection, @subjectRkey,
        @createdAt, @at)`,
  ),
  remove: db.prepare<[number, number, PackedRkey]>(
    'DELETE FROM act_arrivals WHERE uid = ? AND collection = ? AND rkey = ?',
  ),
  removeAll: db.prepare<[number, number]>(
    'DELETE FROM act_arrivals WHERE uid = ? AND collection = ?',
  ),
}))

/** Its key must be free. */
export function addActArrival(db: WriteDb, act: ActArrival): void {
  statements(db).add.run({ ...act, at: arrivalTime(db) })
}

/** The record was deleted or replaced, if it had a number. */
export function deleteActArrival(db: WriteDb, { uid, collection, rkey }: ActKey): void {
  statements(db).remove.run(uid, collection, rkey)
}

export function deleteActArrivalsOf(db: WriteDb, uid: number, collection: number): void {
  statements(db).removeAll.run(uid, collection)
}
