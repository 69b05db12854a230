// Labels by subject, from given labelers, if neither withdrawn nor expired. All queries are by integers; one
// statement each for accounts, posts, lists and other records.

import { collectionCodes } from '../../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import type { LabelSubject } from '../../moderation/labels.ts'
import { type Db, idList } from '../id-list.ts'
import { keyColumn, keyJson } from '../key-list.ts'

export type StoredLabel = {
  uid: number
  collection: number
  rkey: PackedRkey
  src: number
  val: string
  cid: string | null
  cts_ms: number
  cts: string | null
  exp_ms: number | null
  exp: string | null
}

type LabelReader = {
  /** On these accounts themselves, their profiles and statuses. */
  ofAccounts(uids: Iterable<number>, by: LabelFilter): StoredLabel[]
  ofPosts(ids: Iterable<number>, by: LabelFilter): StoredLabel[]
  ofLists(ids: Iterable<number>, by: LabelFilter): StoredLabel[]
  ofSubjects(subjects: readonly LabelSubject[], by: LabelFilter): StoredLabel[]
  /** Indexes of those subjects with a label by any labeler, expired or not. */
  labelledAmong(subjects: readonly LabelSubject[]): number[]
  /** The accounts among these that have labels, themselves or on their profiles or statuses. */
  labelledAccounts(uids: Iterable<number>, by: LabelFilter): number[]
  labelledPosts(ids: Iterable<number>, by: LabelFilter): number[]
  /**
   * The lists among these that are taken down, themselves or with their creators; without `by`, by
   * any labeler at any time.
   */
  takenDownLists(ids: Iterable<number>, by: LabelFilter | undefined): number[]
}

/** `labelers` by uid. */
export type LabelFilter = { labelers: readonly number[]; now: number }

const { 'app.bsky.actor.profile': PROFILE, 'app.bsky.actor.status': STATUS } = collectionCodes
const { 'app.bsky.feed.post': POST, 'app.bsky.graph.list': LIST } = collectionCodes

const COLUMNS = `l.uid, l.collection, l.rkey, l.src, l.val, l.cid, l.cts_ms, l.cts, l.exp_ms, l.exp`
const IN_FORCE = `l.src IN (SELECT value FROM json_each(?)) AND l.neg = 0
  AND (l.exp_ms IS NULL OR l.exp_ms > ?)`
const IN_TIME = 'ORDER BY l.cts_ms, l.src, l.val'

const ACCOUNTS = /* sql */ `json_each(?) ids CROSS JOIN labels l ON l.uid = ids.value
  AND l.collection IN (0, ${PROFILE}, ${STATUS}) AND l.rkey IN ('', 'self')`

const POSTS = ownRecords('posts', POST)
const LISTS = ownRecords('lists', LIST)

const SUBJECTS = /* sql */ `json_each(?) k CROSS JOIN labels l ON l.uid = k.value ->> 0
  AND l.collection = k.value ->> 1 AND l.rkey = ${keyColumn('k.value', 2)}`

const TAKEN_DOWN_LISTS = /* sql */ `
SELECT DISTINCT r.id FROM json_each(:ids) ids CROSS JOIN lists r ON r.id = ids.value
CROSS JOIN labels l ON l.uid = r.uid AND l.neg = 0 AND l.val IN ('!takedown', '!suspend')
  AND (l.collection = ${LIST} AND l.rkey = r.rkey OR l.collection = 0 AND l.rkey = '')
  AND (:labelers IS NULL OR l.src IN (SELECT value FROM json_each(:labelers)))
  AND (l.exp_ms IS NULL OR l.exp_ms > :now)`

const LABELLED = /* sql */ `
SELECT k.key FROM json_each(?) k WHERE EXISTS (SELECT 1 FROM labels l WHERE l.uid = k.value ->> 0
  AND l.collection = k.value ->> 1 AND l.rkey = ${keyColumn('k.value', 2)} AND l.neg = 0)`

function ownRecords(table: string, collection: number): string {
  return /* sql */ `json_each(?) ids CROSS JOIN ${table} r ON r.id = ids.value
  CROSS JOIN labels l ON l.uid = r.uid AND l.collection = ${collection} AND l.rkey = r.rkey`
}

export function prepareLabels(db: Db): LabelReader {
  const rows = (from: string) =>
    db.prepare<[string, string, number], StoredLabel>(
      `SELECT ${COLUMNS} FROM ${from} WHERE ${IN_FORCE} ${IN_TIME}`,
    )
  const ids = (from: string) =>
    db
      .prepare<[string, string, number], number>(
        `SELECT DISTINCT ids.value FROM ${from} WHERE ${IN_FORCE}`,
      )
      .pluck()
  const [accounts, posts, lists, subjects] = [ACCOUNTS, POSTS, LISTS, SUBJECTS].map(rows)
  const [labelledAccounts, labelledPosts] = [ACCOUNTS, POSTS].map(ids)
  const labelledAmong = db.prepare<[string], number>(LABELLED).pluck()
  type ListParams = { ids: string; labelers: string | null; now: number }
  const takenDownLists = db.prepare<[ListParams], number>(TAKEN_DOWN_LISTS).pluck()
  return {
    takenDownLists: (of, by) =>
      takenDownLists.all({
        ids: idList(of),
        labelers: by ? idList(by.labelers) : null,
        now: by?.now ?? -Infinity,
      }),
    ofAccounts: (uids, { labelers, now }) => accounts!.all(idList(uids), idList(labelers), now),
    ofPosts: (of, { labelers, now }) => posts!.all(idList(of), idList(labelers), now),
    ofLists: (of, { labelers, now }) => lists!.all(idList(of), idList(labelers), now),
    ofSubjects: (of, { labelers, now }) => subjects!.all(keysJson(of), idList(labelers), now),
    labelledAmong: (of) => labelledAmong.all(keysJson(of)),
    labelledAccounts: (uids, { labelers, now }) =>
      labelledAccounts!.all(idList(uids), idList(labelers), now),
    labelledPosts: (of, { labelers, now }) => labelledPosts!.all(idList(of), idList(labelers), now),
  }
}

function keysJson(subjects: readonly LabelSubject[]): string {
  return JSON.stringify(
    subjects.map(({ uid, collection, rkey }) => [uid, collection, ...keyJson(rkey)]),
  )
}
