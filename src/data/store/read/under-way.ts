// Pending requests to other people's servers: a request that waits for data can stop waiting once no job is
// fetching it. Jobs that failed and are retried later are not waited for. Also finds accounts that were never
// looked up or read, and so are worth asking about.

import { collectionCodes, recordCollections } from '../../../base/atproto/collections.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import type { ActorReader } from '../../graph/types.ts'
import type { Db } from '../db.ts'
import type { JobKind } from '../fetching/job-kinds.ts'
import { PRESENT } from '../posts/posts.ts'
import { POST as INDEXED_POST } from '../search/queue.ts'
import { idList } from './id-list.ts'
import { keyColumn, keyJson } from './key-list.ts'

export type UnderWay = {
  /**
   * Whether any of these accounts is being looked up, or its profile fetched.
   * @param tries - attempts below which a job still counts; only the first attempt if omitted
   */
  accounts(uids: readonly number[], tries?: number): boolean
  /**
   * Whether any of these posts, lists, feed generators and similar records is being fetched, or its
   * creator.
   */
  records(keys: readonly RecordKey[], tries?: number): boolean
  /** Whether any of these records itself is still to be fetched, however often that failed. */
  areUnfetched(keys: readonly RecordKey[]): boolean
  /** Whether a page of this account's posts is being fetched, on the first attempt. */
  page(uid: number): boolean
  /** Whether its posts were ever read from its repository. */
  isPageRead(uid: number): boolean
  /** Whether its newest posts are not all in the word index yet. */
  isIndexed(uid: number): boolean
  /** Whether its feeds, starter packs and the like are being read, on the first attempt. */
  declarations(uid: number): boolean
  /**
   * How far back this account's posts and reposts were read, if there are more; milliseconds since
   * 1970.
   */
  readTo(uid: number): number | undefined
  /** The active accounts among these that were never looked up. */
  neverLookedUp(uids: readonly number[]): number[]
  /** Whether the lookup of any of these failed fewer than `tries` times and is being retried. */
  lookedUpAgain(uids: readonly number[], tries: number): boolean
  /**
   * Whether the profile of any of these that have none here is being fetched, on the first attempt.
   */
  profiles(uids: readonly number[]): boolean
  /** The accounts among these whose declarations were never read from their repositories. */
  neverRead(uids: readonly number[]): number[]
}

/** For jobs that count however often they failed. */
const ANY_TRIES = Number.MAX_SAFE_INTEGER

type RecordKey = { did: string; collection: string; rkey: string }

const WHAT_IS_DECLARED: JobKind = 'records'

const ACCOUNTS = /* sql */ `
SELECT 1 FROM json_each(?) ids CROSS JOIN jobs j
  ON j.kind IN ('identity', 'profile') AND j.subject = ids.value AND j.attempts < ? LIMIT 1`
const LOOKED_UP_AGAIN = /* sql */ `
SELECT 1 FROM json_each(?) ids CROSS JOIN jobs j ON j.kind = 'identity' AND j.subject = ids.value
  AND j.attempts > 0 AND j.attempts < ? LIMIT 1`
const PROFILES = /* sql */ `
SELECT 1 FROM json_each(?) ids CROSS JOIN jobs j ON j.kind = 'profile' AND j.subject = ids.value
  AND j.attempts = 0
  WHERE NOT EXISTS (SELECT 1 FROM profiles p WHERE p.uid = ids.value) LIMIT 1`
const fetching = (table: string, kind: JobKind, further = '') => /* sql */ `
SELECT 1 FROM json_each(?) k
CROSS JOIN ${table} r ON r.uid = k.value ->> 0 AND r.rkey = ${keyColumn('k.value', 1)} ${further}
CROSS JOIN jobs j ON j.kind = '${kind}' AND j.subject = r.id AND j.attempts < ? LIMIT 1`
const PAGE = /* sql */ `SELECT 1 FROM jobs WHERE kind IN ('page', 'older') AND subject = ? AND attempts = 0`
const IS_PAGE_READ = /* sql */ `SELECT 1 FROM feed_depths WHERE uid = ?`
const UNINDEXED = /* sql */ `
SELECT 1 FROM (SELECT id FROM posts WHERE uid = ? AND state = ${PRESENT} ORDER BY sort_at DESC LIMIT 100) p
  CROSS JOIN search_queue q ON q.kind = ${INDEXED_POST} AND q.id = p.id LIMIT 1`
const DECLARATIONS = /* sql */ `
SELECT 1 FROM jobs WHERE kind IN ('identity', '${WHAT_IS_DECLARED}') AND subject = ? AND attempts = 0`
const READ_TO = /* sql */ `SELECT max(oldest_at) FROM feed_depths WHERE uid = ? AND cursor IS NOT NULL`
const NEVER_LOOKED_UP = /* sql */ `
SELECT a.uid FROM json_each(?) ids CROSS JOIN actors a ON a.uid = ids.value
  WHERE a.identity_checked_at IS NULL AND a.status = 0 AND NOT a.handle_valid`
const NEVER_READ = /* sql */ `
SELECT ids.value FROM json_each(?) ids
  WHERE NOT EXISTS (SELECT 1 FROM backfills b WHERE b.uid = ids.value AND b.what = '${WHAT_IS_DECLARED}')`

export function createUnderWay({
  db,
  actors,
}: {
  db: Db
  actors: Pick<ActorReader, 'uidOf'>
}): UnderWay {
  const ofAccounts = db.prepare<[string, number], number>(ACCOUNTS).pluck()
  const lookedUpAgain = db.prepare<[string, number], number>(LOOKED_UP_AGAIN).pluck()
  const profiles = db.prepare<[string], number>(PROFILES).pluck()
  const page = db.prepare<[number], number>(PAGE).pluck()
  const isPageRead = db.prepare<[number], number>(IS_PAGE_READ).pluck()
  const unindexed = db.prepare<[number], number>(UNINDEXED).pluck()
  const declarations = db.prepare<[number], number>(DECLARATIONS).pluck()
  const readTo = db.prepare<[number], number | null>(READ_TO).pluck()
  const neverLookedUp = db.prepare<[string], number>(NEVER_LOOKED_UP).pluck()
  const neverRead = db.prepare<[string], number>(NEVER_READ).pluck()
  const ofRecords = prepareOfRecords(db)

  /** With the account of each; those without a row are left out. */
  const known = (keys: readonly RecordKey[]) =>
    keys.map((key) => ({ ...key, uid: actors.uidOf(key.did) })).filter(({ uid }) => uid !== 0)

  const isAnyFetching = (keys: ReturnType<typeof known>, tries: number) =>
    [...Map.groupBy(keys, ({ collection }) => collection)].some(([collection, some]) => {
      const list = some.map(({ uid, rkey }) => [uid, ...keyJson(packRkey(rkey))])
      return ofRecords.get(collection)?.get(JSON.stringify(list), tries) !== undefined
    })

  return {
    accounts: (uids, tries = 1) => ofAccounts.get(idList(uids), tries) !== undefined,
    records(keys, tries = 1) {
      const found = known(keys)
      if (found.length === 0) return false
      const uids = new Set(found.map(({ uid }) => uid))
      return ofAccounts.get(idList(uids), tries) !== undefined || isAnyFetching(found, tries)
    },
    areUnfetched: (keys) => isAnyFetching(known(keys), ANY_TRIES),
    lookedUpAgain: (uids, tries) => lookedUpAgain.get(idList(uids), tries) !== undefined,
    profiles: (uids) => profiles.get(idList(uids)) !== undefined,
    page: (uid) => page.get(uid) !== undefined,
    isPageRead: (uid) => isPageRead.get(uid) !== undefined,
    isIndexed: (uid) => unindexed.get(uid) === undefined,
    declarations: (uid) => declarations.get(uid) !== undefined,
    readTo: (uid) => readTo.get(uid) ?? undefined,
    neverLookedUp: (uids) => neverLookedUp.all(idList(uids)),
    neverRead: (uids) => neverRead.all(idList(uids)),
  }
}

/** By collection. */
function prepareOfRecords(db: Db) {
  const prepared = (sql: string) => db.prepare<[string, number], number>(sql).pluck()
  const others = recordCollections.map((name) => {
    const sql = fetching('records', 'record', `AND r.collection = ${collectionCodes[name]}`)
    return [name as string, prepared(sql)] as const
  })
  return new Map([
    ['app.bsky.feed.post', prepared(fetching('posts', 'post'))],
    ['app.bsky.graph.list', prepared(fetching('lists', 'list'))],
    ...others,
  ])
}
