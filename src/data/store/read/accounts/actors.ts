// Accounts with their profile records, many at a time: a row of small scalars for each; the profile's CID and
// record are read separately, as for posts (posts.ts).

import { type Db, idList } from '../id-list.ts'
import { versionOf } from '../posts/posts.ts'

export type ActorRow = [
  uid: number,
  handle: string | null,
  handleValid: number,
  status: number,
  /** These three include the counts from before we started counting. */
  followsCount: number,
  followersCount: number,
  postsCount: number,
  /** Identifies the profile record's bytes; null, like the fields after it, if there is none. */
  profileVersion: string | null,
  profileCreatedAt: number | null,
  profileIndexedAt: number | null,
]

type ProfileTextRow = [uid: number, cid: Buffer, record: string]

type ActorRows = {
  rows(uids: Iterable<number>): ActorRow[]
  /** Accounts without a profile record are omitted. */
  profiles(uids: Iterable<number>): ProfileTextRow[]
}

const ROWS = /* sql */ `
SELECT a.uid, a.handle, a.handle_valid, a.status, a.follows_count + coalesce(max(e.follows, 0), 0),
  a.followers_count + coalesce(max(e.followers, 0), 0), a.posts_count + coalesce(max(e.posts, 0), 0), CASE WHEN p.uid IS NOT NULL THEN ${versionOf('p')} END,
  p.created_at, p.indexed_at
FROM json_each(?) ids
CROSS JOIN actors a ON a.uid = ids.value
LEFT JOIN profiles p ON p.uid = a.uid
LEFT JOIN earlier_actor_counts e ON e.uid = a.uid`

const PROFILES = /* sql */ `
SELECT p.uid, p.cid, CAST(p.record AS TEXT)
FROM json_each(?) ids CROSS JOIN profiles p ON p.uid = ids.value`

export function prepareActors(db: Db): ActorRows {
  const rows = db.prepare<[string], ActorRow>(ROWS).raw()
  const profiles = db.prepare<[string], ProfileTextRow>(PROFILES).raw()
  return {
    rows: (uids) => rows.all(idList(uids)) as unknown as ActorRow[],
    profiles: (uids) => profiles.all(idList(uids)) as unknown as ProfileTextRow[],
  }
}
