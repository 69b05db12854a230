// Turns records that backfill fetched from a repository or a listing into writes like those of the stream.
// When they could first have been seen is unknown, so their creation time counts as their index time; if that
// is missing or in the future, the time of their key, which is about when they were written, so that they sort in
// writing order.

import { isIndexed } from '../../../base/atproto/collections.ts'
import { type PackedRkey, packCid, packRkey } from '../../../base/atproto/keys.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import type { IndexContext, Outcome, RecordWrite } from '../index-context.ts'
import { isValidRecord } from '../validation/validate.ts'
import { keyMadeAt, parseCreatedAt } from './record-fields.ts'

/** The stream may lag: records newer than its last event may exist. */
const SLACK_MS = 10 * MINUTE_MS

type FetchedRecord = { collection: string; rkey: string; cid: string; record: JsonObject }

export type FetchedRecords = {
  did: string
  /** The repository's rev, if the response gave one that covers all the records. */
  rev?: string
  /**
   * For a member's own posts: the rev up to which all of them are here. Their PDS is told this rev,
   * so that it does not add the posts again that we just got from it.
   */
  repoRev?: string
  /** When the fetch began, by our clock; deletions and changes seen since then are newer. */
  fetchedAt: number
  /** Posts and reposts to be shown to a member: kept whoever wrote them. */
  isVisible?: boolean | undefined
  records: FetchedRecord[]
}

/** Yields the valid records in order; counts the others by reason. */
export function* toWrites(
  { did, rev, fetchedAt, isVisible, records }: FetchedRecords,
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
      const claimed = typeof record['createdAt'] === 'string' ? createdAt : undefined
      const indexedAt = arrivalOf(ctx, key.rkey, claimed)
      yield { ...key, rev, createdAt, indexedAt, fetchedAt, seenAtUs: fetchedAt * 1000, isVisible }
    }
  }
}

/** @param createdAt - undefined if the record does not say, as older profiles don't. */
function arrivalOf(ctx: IndexContext, rkey: PackedRkey, createdAt: number | undefined): number {
  const latest = latestOf(ctx)
  return createdAt !== undefined && createdAt <= latest
    ? createdAt
    : (keyMadeAt(rkey, latest) ?? latest)
}

/** No record can be newer than this. If our clock is behind the stream, the error is unknown. */
function latestOf({ now, streamMs }: IndexContext): number {
  return now < streamMs ? streamMs + SLACK_MS : now
}
