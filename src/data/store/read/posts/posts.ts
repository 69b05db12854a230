// Posts with their counts, many at a time; also stubs and deleted posts, without a record.
//
// A page reads a row of small scalars for every post, as an array: a Buffer costs the driver as much as
// twenty numbers. Keys, CID and record, which seldom change, are read separately, unless cached for the row's
// `version` (answers/hydrate/cached-rows.ts).

import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { recordColumn } from '../../posts/record-bytes.ts'
import { type Db, idList } from '../id-list.ts'

/** `version` identifies the record's bytes: its CID and rev. Empty without a record. */
export type PostRow = [
  id: number,
  uid: number,
  state: number,
  version: string,
  sortAt: number | null,
  root: number | null,
  parent: number | null,
  quote: number | null,
  flags: number,
  likes: number,
  reposts: number,
  replies: number,
  quotes: number,
  bookmarks: number,
]

/**
 * `cid` and `record` are null unless the post is PRESENT. Read the record with `recordText`
 * (record-bytes.ts).
 */
export type PostTextRow = [
  id: number,
  rkey: PackedRkey,
  cid: Buffer | null,
  record: Buffer | string | null,
  /** Milliseconds: the record's own time, then the time of its arrival. */
  createdAt: number | null,
  indexedAt: number | null,
]

export type PostKeyRow = { id: number; uid: number; rkey: PackedRkey; state: number }

export type PostCountsRow = [
  id: number,
  likes: number,
  reposts: number,
  replies: number,
  quotes: number,
  bookmarks: number,
]

export type PostReader = {
  rows(ids: Iterable<number>): PostRow[]
  texts(ids: Iterable<number>): PostTextRow[]
  /** Only the keys: for posts that are referenced but not shown. */
  keys(ids: Iterable<number>): PostKeyRow[]
  /** Zeros for posts without counts. */
  counts(ids: Iterable<number>): PostCountsRow[]
}

/** Our counts plus those from before we started counting. */
const SUMS = ['likes', 'reposts', 'replies', 'quotes']
  .map((what) => `coalesce(c.${what}, 0) + coalesce(max(e.${what}, 0), 0)`)
  .concat('coalesce(c.bookmarks, 0)')
  .join(', ')

const ROWS = /* sql */ `
SELECT p.id, p.uid, p.state, ${versionOf('p')}, p.sort_at, p.root, p.parent, p.quote, p.flags,
  ${SUMS}
FROM json_each(?) ids
CROSS JOIN posts p ON p.id = ids.value
LEFT JOIN post_counts c ON c.post = p.id
LEFT JOIN earlier_post_counts e ON e.post = p.id`

const TEXTS = /* sql */ `
SELECT p.id, p.rkey, p.cid, ${recordColumn('p.record')}, p.created_at, p.indexed_at
FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value`

const KEYS = /* sql */ `
SELECT p.id, p.uid, p.rkey, p.state FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value`

const COUNTS = /* sql */ `
SELECT ids.value, ${SUMS}
FROM json_each(?) ids LEFT JOIN post_counts c ON c.post = ids.value
LEFT JOIN earlier_post_counts e ON e.post = ids.value`

export function preparePosts(db: Db): PostReader {
  const rows = db.prepare<[string], PostRow>(ROWS).raw()
  const texts = db.prepare<[string], PostTextRow>(TEXTS).raw()
  const keys = db.prepare<[string], PostKeyRow>(KEYS)
  const counts = db.prepare<[string], PostCountsRow>(COUNTS).raw()
  return {
    rows: (ids) => rows.all(idList(ids)) as unknown as PostRow[],
    texts: (ids) => texts.all(idList(ids)) as unknown as PostTextRow[],
    keys: (ids) => keys.all(idList(ids)),
    counts: (ids) => counts.all(idList(ids)) as unknown as PostCountsRow[],
  }
}

/**
 * Half of the CID's digest is enough to tell a record's versions apart. The rev is included because
 * the stream's CIDs are not verified.
 */
export function versionOf(table: string): string {
  return `hex(substr(coalesce(${table}.cid, ''), 1, 16)) || coalesce(${table}.rev, '')`
}
