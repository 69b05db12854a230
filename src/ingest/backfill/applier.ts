// The writing side of backfill: passes fetched records through the indexer, one transaction per call, and
// publishes the resulting changes to memory right after the commit, before anything else.

import type { AccountStatus, StreamEvent } from '@slipstream/jetstream'
import { tidAt } from '../../base/atproto/tid.ts'
import type { Counts } from '../../base/obs/counts.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { applyNotFound, applyServed } from '../indexing/account.ts'
import { applyBatch, applyFetched } from '../indexing/apply-batch.ts'
import { commitSparing } from '../indexing/commit-sparing.ts'
import type { IndexContext } from '../indexing/index-context.ts'
import { markPostMissing } from '../indexing/records/found-posts.ts'
import type { Writer } from '../indexing/writer.ts'
import type { FetchedRecords, GoneRecords } from './fetched.ts'

export type Applier = {
  put(fetched: FetchedRecords): void
  /** Removes keys that the repository no longer has. */
  remove(gone: GoneRecords): void
  /** Marks a post that its PDS does not have as "looked for and not found". */
  missing(postId: number): void
  /** Applies the account status that its PDS reports. */
  status(did: string, status: AccountStatus): void
  /**
   * The account's PDS serves its repository; it was asked when the status here was as of
   * `statusAt`.
   */
  served(account: { did: string; statusAt: number }): void
  /** Counts records that exist but are not taken. */
  leaveOut(reason: string, count: number): void
  /** The account's PDS, asked again, has no such repository, and the time it went is unknown. */
  notFound(uid: number): void
}

/** Age assigned to a status that a PDS reports, so that a younger stream event wins. */
const STATUS_AGE_MS = 10 * MINUTE_MS

export function createApplier({
  writer,
  counts,
}: {
  writer: Writer
  counts?: Pick<Counts, 'add'> | undefined
}): Applier {
  function count(outcome: string, by = 1): void {
    counts?.add('fetched', outcome, by)
  }

  /** By the stream's clock, which its events are judged by: ours may be hours ahead. */
  function statedAtUs({ streamMs, now }: IndexContext): number {
    return ((streamMs === 0 ? now : Math.min(now, streamMs)) - STATUS_AGE_MS) * 1000
  }

  function applyEvents(events: StreamEvent[]): number {
    return writer.commit((ctx) => applyBatch(ctx, { events })).applied
  }

  return {
    put({ did, collection, records, fetchedAt, repoRev, isVisible }) {
      if (records.length === 0) return
      const all = records.map((record) => ({ collection, ...record }))
      const fetched = { did, fetchedAt, isVisible }
      const { applied, skipped } = commitSparing(writer, all, (ctx, some, isComplete) =>
        applyFetched(ctx, { ...fetched, ...(isComplete && { repoRev }), records: some }),
      )
      count('applied', applied)
      for (const [reason, times] of Object.entries(skipped)) count(reason, times)
    },
    remove({ did, collection, rkeys, fetchedAt, rev = tidAt(fetchedAt) }) {
      if (rkeys.length === 0) return
      const timeUs = fetchedAt * 1000
      const base = { kind: 'commit', operation: 'delete', did, collection, rev, timeUs } as const
      count('removed', applyEvents(rkeys.map((rkey) => ({ ...base, rkey, seq: undefined }))))
    },
    missing(postId) {
      writer.commit((ctx) => markPostMissing(ctx, postId))
      count('missing')
    },
    status(did, status) {
      writer.commit((ctx) => {
        const timeUs = statedAtUs(ctx)
        const event = {
          kind: 'account',
          did,
          active: false,
          status,
          timeUs,
          seq: undefined,
        } as const
        return applyBatch(ctx, { events: [event] })
      })
    },
    notFound(uid) {
      writer.commit((ctx) => applyNotFound(ctx, uid, statedAtUs(ctx)))
    },
    served(account) {
      writer.commit((ctx) => applyServed(ctx, account))
    },
    leaveOut: count,
  }
}
