// Notifications in order of arrival, of one member or of all accounts.

import { collectionCodes } from '../../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { subjectCollectionOf } from '../../../../data/store/notifications/notification-subjects.ts'
import type { Db } from '../../../../data/store/read/id-list.ts'
import type { ArrivalRange } from './arrivals.ts'

export type NotificationArrival = {
  seq: number
  uid: number
  author: number
  reason: number
  collection: string
  rkey: PackedRkey
  /** Milliseconds. */
  sortAt: number
  /** Milliseconds; its sort time if it arrived before this was stored. */
  at: number
  subject: { collection: string; rkey: PackedRkey } | undefined
}

export type NotificationArrivals = {
  tip(): number
  /** Of one member, or of all accounts. */
  read(uid: number | undefined, range: ArrivalRange): NotificationArrival[]
}

type Row = [
  id: number,
  uid: number,
  author: number,
  reason: number,
  collection: number,
  rkey: PackedRkey,
  sortAt: number,
  at: number,
  subjectCollection: number | null,
  subjectRkey: PackedRkey | null,
]

const collections = new Map(
  Object.entries(collectionCodes).map(([name, code]) => [code as number, name]),
)

export function prepareNotificationArrivals(db: Db): NotificationArrivals {
  const tip = db.prepare<[], number>('SELECT max(id) FROM notifications').pluck()
  const columns =
    'id, uid, author, reason, collection, rkey, sort_at, coalesce(arrived_at, sort_at), subject_collection, subject_rkey'
  const select = (where: string, beyond: string, order: string) =>
    db
      .prepare<number[], Row>(
        `SELECT ${columns} FROM notifications ${where} id ${beyond} +? ORDER BY id ${order} LIMIT +?`,
      )
      .raw()
  const own = 'INDEXED BY notifications_by_arrival WHERE uid = +? AND'
  const ofOne = { up: select(own, '>', ''), down: select(own, '<', 'DESC') }
  const ofAll = { up: select('WHERE', '>', ''), down: select('WHERE', '<', 'DESC') }
  return {
    tip: () => tip.get() ?? 0,
    read(uid, { at, limit, isForward }) {
      const way = isForward ? 'up' : 'down'
      const rows = uid === undefined ? ofAll[way].all(at, limit) : ofOne[way].all(uid, at, limit)
      return rows.map(toArrival)
    },
  }
}

function toArrival(row: Row): NotificationArrival {
  const [seq, uid, author, reason, collection, rkey, sortAt, at, about, aboutRkey] = row
  const named = about === null ? undefined : subjectCollectionOf(about)
  return {
    seq,
    uid,
    author,
    reason,
    rkey,
    sortAt,
    at,
    collection: collections.get(collection) ?? '',
    subject: named && aboutRkey !== null ? { collection: named, rkey: aboutRkey } : undefined,
  }
}
