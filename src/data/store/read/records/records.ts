// Feed generators, starter packs, labelers and the other records of the table `records`.

import { collectionCodes } from '../../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { joinedThrough } from '../../migrations/001-025/008-records.ts'
import type { RecordKey } from '../../records/records.ts'
import { type Db, idList } from '../id-list.ts'
import { keyColumn, keyJson } from '../key-list.ts'

export type RecordRow = {
  id: number
  uid: number
  collection: number
  rkey: PackedRkey
  cid: Buffer
  record: string
  sortAt: number
  likes: number
}

export type VerificationRow = {
  subject: number
  issuer: number
  rkey: PackedRkey
  record: string
  sortAt: number
}

type RecordReader = {
  /** Only those with a record. */
  byKey(keys: readonly RecordKey[]): RecordRow[]
  /** These accounts' own records that profiles show: labelers, statuses and declarations. */
  ownOf(uids: Iterable<number>): RecordRow[]
  /** The first verification per issuer and account, oldest first. */
  verificationsOf(uids: Iterable<number>, issuers: Iterable<number>): VerificationRow[]
  /** Accounts without records of a collection are omitted. */
  countsOf(uids: Iterable<number>): { uid: number; collection: number; count: number }[]
  /** Record keys of the account's likes of these records. */
  likesBy(uid: number, ids: Iterable<number>): { id: number; rkey: PackedRkey }[]
  /**
   * Number of profiles that name each of these starter packs as the one they joined through; packs
   * without any are omitted.
   */
  joinsThrough(
    uris: readonly string[],
    since: number,
  ): { uri: string; allTime: number; recent: number }[]
}

const SELECT = /* sql */ `SELECT r.id, r.uid, r.collection, r.rkey, r.cid,
  CAST(r.record AS TEXT) AS record, r.sort_at AS sortAt, r.likes`

const BY_KEY = /* sql */ `${SELECT}
FROM json_each(?) k CROSS JOIN records r ON r.uid = k.value ->> 0 AND r.collection = k.value ->> 1
  AND r.rkey = ${keyColumn('k.value', 2)} AND r.cid IS NOT NULL`

const OWN = [
  'app.bsky.labeler.service',
  'app.bsky.actor.status',
  'app.bsky.notification.declaration',
  'chat.bsky.actor.declaration',
  'com.germnetwork.declaration',
] as const

const OWN_OF = /* sql */ `${SELECT}
FROM json_each(?) ids
CROSS JOIN records r INDEXED BY records_of_profiles ON r.uid = ids.value AND r.rkey = 'self'
  AND +r.collection IN (${OWN.map((name) => collectionCodes[name]).join(',')}) AND r.cid IS NOT NULL`

const VERIFICATION = collectionCodes['app.bsky.graph.verification']
const VERIFICATIONS = /* sql */ `
SELECT v.subject, v.uid AS issuer, v.rkey, CAST(v.record AS TEXT) AS record, v.sort_at AS sortAt
FROM (
  SELECT min(r.id) AS id FROM json_each(?) ids
  CROSS JOIN records r ON r.subject = ids.value
    AND r.uid IN (SELECT value FROM json_each(?)) AND r.collection = ${VERIFICATION}
  -- Of most accounts nobody says anything: one probe instead of one for each issuer.
  WHERE EXISTS (SELECT 1 FROM records any WHERE any.subject = ids.value)
  GROUP BY r.subject, r.uid
) first JOIN records v ON v.id = first.id
ORDER BY v.sort_at, v.id`

const COUNTED = ['app.bsky.feed.generator', 'app.bsky.graph.starterpack'] as const

const COUNTS = /* sql */ `
SELECT r.uid, r.collection, count(*) AS count
FROM json_each(?) ids CROSS JOIN records r ON r.uid = ids.value AND r.cid IS NOT NULL
  AND r.collection IN (${COUNTED.map((name) => collectionCodes[name]).join(',')})
GROUP BY r.uid, r.collection`

const LIKES = /* sql */ `
SELECT ids.value AS id, min(l.rkey) AS rkey
FROM json_each(?) ids CROSS JOIN record_likes l ON l.subject = ids.value AND l.uid = ?
GROUP BY ids.value`

const JOINS = /* sql */ `
SELECT ${joinedThrough} AS uri, count(*) AS allTime, total(created_at > ?) AS recent
FROM json_each(?) uris CROSS JOIN profiles ON ${joinedThrough} = uris.value
WHERE ${joinedThrough} IS NOT NULL
GROUP BY 1`

export function prepareRecords(db: Db): RecordReader {
  const byKey = db.prepare<[string], RecordRow>(BY_KEY)
  const ownOf = db.prepare<[string], RecordRow>(OWN_OF)
  const verifications = db.prepare<[string, string], VerificationRow>(VERIFICATIONS)
  const counts = db.prepare<[string], { uid: number; collection: number; count: number }>(COUNTS)
  const likes = db.prepare<[string, number], { id: number; rkey: PackedRkey }>(LIKES)
  const joins = db.prepare<[number, string], { uri: string; allTime: number; recent: number }>(
    JOINS,
  )
  return {
    byKey: (keys) =>
      byKey.all(JSON.stringify(keys.map((key) => [key.uid, key.collection, ...keyJson(key.rkey)]))),
    ownOf: (uids) => ownOf.all(idList(uids)),
    verificationsOf: (uids, issuers) => verifications.all(idList(uids), idList(issuers)),
    countsOf: (uids) => counts.all(idList(uids)),
    likesBy: (uid, ids) => likes.all(idList(ids), uid),
    joinsThrough: (uris, since) => joins.all(since, JSON.stringify(uris)),
  }
}
