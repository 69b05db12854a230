// Repost records, many at a time.

import type { PackedRkey } from '../keys.ts'
import { type Db, idList } from './id-list.ts'

export type RepostRow = {
  id: number
  uid: number
  rkey: PackedRkey
  subject: number
  cid: Buffer
  sortAt: number
}

const SQL = /* sql */ `
SELECT r.id, r.uid, r.rkey, r.subject, r.cid, r.sort_at AS sortAt
FROM json_each(?) ids CROSS JOIN reposts r ON r.id = ids.value`

export function prepareReposts(db: Db): (ids: Iterable<number>) => RepostRow[] {
  const select = db.prepare<[string], RepostRow>(SQL)
  return (ids) => select.all(idList(ids))
}
