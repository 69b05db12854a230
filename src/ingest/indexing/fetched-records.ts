// Records as the backfill room brings them from a repository or a listing, made ready to be
// applied like those of the stream. Nothing tells when we could first have seen them, so they count
// as indexed when they say they were created; those that claim the future, when their key was made, which
// is about when they came, so that they stand in the order in which they were written.

import { isIndexed } from '../../base/atproto/collections.ts'
import { type PackedRkey, packCid, packRkey } from '../../base/atproto/keys.ts'
import type { JsonObject } from '../../base/event.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import type { IndexContext, Outcome, RecordWrite } from './index-context.ts'
import { keyMadeAt, parseCreatedAt } from './record-times.ts'
import { isValidRecord } from './validate.ts'

/** Behind the last event of the stream there are those that have not come yet. */
const SLACK_MS = 10 * MINUTE_MS

type FetchedRecord = { collection: string; rkey: string; cid: string; record: JsonObject }

export type FetchedRecords = {
  did: string
  /** The repository's rev, where the records came with one that covers them all. */
  rev?: string
  /**
   * For a member's own posts: the rev that all of them up to it are here with. Their PDS is told that,
   * so that it does not add what we just got from it once more.
   */
  repoRev?: string
  /** When the fetch began, by our clock: what we saw deleted or changed since then is newer. */
  fetchedAt: number
  /** Posts and reposts that a member is to be shown: kept whoever wrote them. */
  isShown?: boolean | undefined
  records: FetchedRecord[]
}

/** Valid ones in order; the others are counted by reason. */
export function* toWrites(
  { did, rev, fetchedAt, isShown, records }: FetchedRecords,
  ctx: IndexContext,
  skip: (reason: Outcome) => void,
): Generator<RecordWrite> {
  for (const { collection, rkey, cid: cidText, record } of records) {
    const cid = packCid(cidText)
    if (!isIndexed(collection)) skip('not-indexed')
    else if (!cid) skip('bad-cid')
    else if (!isValidRecord(collection, record)) skip('invalid-record')
    else {
      const createdAt = parseCreatedAt(record['createdAt'])
      const key = { did, uid: 0, collection, rkey: packRkey(rkey), cid, cidText, record }
      const indexedAt = arrivalOf(ctx, key.rkey, createdAt)
      yield { ...key, rev, createdAt, indexedAt, fetchedAt, seenAtUs: fetchedAt * 1000, isShown }
    }
  }
}

function arrivalOf(ctx: IndexContext, rkey: PackedRkey, createdAt: number): number {
  const latest = latestOf(ctx)
  return createdAt <= latest ? createdAt : (keyMadeAt(rkey, latest) ?? latest)
}

/** What claims to be younger was not made yet. A clock that is behind the stream is wrong by nobody knows how much. */
function latestOf({ now, streamMs }: IndexContext): number {
  return now < streamMs ? streamMs + SLACK_MS : now
}
