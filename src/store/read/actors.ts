// Accounts with their profile records, many at a time.

import { type Db, idList } from './id-list.ts'

export type ActorRow = {
  uid: number
  did: string
  handle: string | null
  handleValid: number
  status: number
  followsCount: number
  followersCount: number
  postsCount: number
  /** The rest is null where no profile record is held. */
  profileCid: Buffer | null
  profileRecord: string | null
  profileCreatedAt: number | null
  profileIndexedAt: number | null
}

const SQL = /* sql */ `
SELECT a.uid, a.did, a.handle, a.handle_valid AS handleValid, a.status,
  a.follows_count AS followsCount, a.followers_count AS followersCount,
  a.posts_count AS postsCount, p.cid AS profileCid, CAST(p.record AS TEXT) AS profileRecord,
  p.created_at AS profileCreatedAt, p.indexed_at AS profileIndexedAt
FROM json_each(?) ids
CROSS JOIN actors a ON a.uid = ids.value
LEFT JOIN profiles p ON p.uid = a.uid`

export function prepareActors(db: Db): (uids: Iterable<number>) => ActorRow[] {
  const select = db.prepare<[string], ActorRow>(SQL)
  return (uids) => select.all(idList(uids))
}
