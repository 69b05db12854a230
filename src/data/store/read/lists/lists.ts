// Lists: found by key, read by id, counted by creator, and checked for a member.

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { type Db, idList } from '../id-list.ts'

export type ListRow = {
  id: number
  uid: number
  rkey: PackedRkey
  cid: Buffer
  record: string
  sortAt: number
  itemCount: number
  /** Record key of the viewer's block of the list. */
  blockRkey: PackedRkey | null
  /** Whether the viewer mutes the list. */
  isMuted: 0 | 1
}

type ListCountRow = { uid: number; count: number }

export type ListReader = {
  /** @returns 0 if there is no such row */
  idOf(uid: number, rkey: PackedRkey): number
  /** Lists with a record. `viewer` is 0 for anonymous. */
  byId(ids: Iterable<number>, viewer: number): ListRow[]
  /** The lists among these that the account is on, with or without a record. */
  having(ids: Iterable<number>, uid: number): number[]
  /** Accounts without lists are omitted. */
  countsOf(uids: Iterable<number>): ListCountRow[]
}

const BY_ID = /* sql */ `
SELECT l.id, l.uid, l.rkey, l.cid, CAST(l.record AS TEXT) AS record, l.sort_at AS sortAt,
  l.people AS itemCount,
  (SELECT min(lb.rkey) FROM list_blocks lb WHERE lb.uid = :viewer AND lb.list = l.id) AS blockRkey,
  EXISTS (SELECT 1 FROM list_mutes lm WHERE lm.uid = :viewer AND lm.list = l.id) AS isMuted
FROM json_each(:ids) ids
CROSS JOIN lists l ON l.id = ids.value AND l.cid IS NOT NULL AND l.record IS NOT NULL`

const HAVING = /* sql */ `
SELECT ids.value FROM json_each(?) ids
WHERE EXISTS (SELECT 1 FROM list_items li WHERE li.list = ids.value AND li.subject = ?)`

const COUNTS = /* sql */ `
SELECT l.uid, count(*) AS count
FROM json_each(?) ids CROSS JOIN lists l ON l.uid = ids.value AND l.cid IS NOT NULL
GROUP BY l.uid`

export function prepareLists(db: Db): ListReader {
  const idOf = db
    .prepare<[number, PackedRkey], number>('SELECT id FROM lists WHERE uid = ? AND rkey = ?')
    .pluck()
  const byId = db.prepare<[{ viewer: number; ids: string }], ListRow>(BY_ID)
  const having = db.prepare<[string, number], number>(HAVING).pluck()
  const counts = db.prepare<[string], ListCountRow>(COUNTS)
  return {
    idOf: (uid, rkey) => idOf.get(uid, rkey) ?? 0,
    byId: (ids, viewer) => byId.all({ viewer, ids: idList(ids) }),
    having: (ids, uid) => having.all(idList(ids), uid),
    countsOf: (uids) => counts.all(idList(uids)),
  }
}
