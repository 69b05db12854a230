// The writing side of this room: what was fetched goes through the indexer, each call one
// transaction, and what it means for memory is published after the commit and before anything else.

import { tidAt } from '../../base/atproto/tid.ts'
import type { AccountStatus, StreamEvent } from '../../base/event.ts'
import type { Counts } from '../../base/obs/counts.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { applyNotFound, applyServed } from '../indexing/account.ts'
import { applyBatch, applyFetched } from '../indexing/apply-batch.ts'
import { commitSparing } from '../indexing/commit-sparing.ts'
import { markPostMissing } from '../indexing/found-posts.ts'
import type { IndexContext } from '../indexing/index-context.ts'
import type { Writer } from '../indexing/writer.ts'
import type { FetchedRecords, GoneRecords } from './fetched.ts'

export type Applier = {
  put(fetched: FetchedRecords): void
  /** Keys that the repository no longer has. */
  remove(gone: GoneRecords): void
  /** A post that its PDS does not have: stays as "looked for and not found". */
  missing(postId: number): void
  /** What the account's PDS says of its state. */
  status(did: string, status: AccountStatus): void
  /** The account's PDS, asked when its state here was of `statusAt`, serves its repository. */
  served(account: { did: string; statusAt: number }): void
  /** Records that are there and not taken. */
  leaveOut(reason: string, count: number): void
  /** The account's PDS, asked anew, has no such repository, and nothing says since when. */
  notFound(uid: number): void
}

/** What a PDS says of an account counts as said so long ago: an event of the stream that is younger must win. */
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

  /** By the stream's clock, by which its events are judged: ours may be hours ahead. */
  function saidAtUs({ streamMs, now }: IndexContext): number {
    return ((streamMs === 0 ? now : Math.min(now, streamMs)) - STATUS_AGE_MS) * 1000
  }

  function applyEvents(events: StreamEvent[]): number {
    return writer.commit((ctx) => applyBatch(ctx, { events })).applied
  }

  return {
    put({ did, collection, records, fetchedAt, repoRev, isShown }) {
      if (records.length === 0) return
      const all = records.map((one) => ({ collection, ...one }))
      const fetched = { did, fetchedAt, isShown }
      const { applied, skipped } = commitSparing(writer, all, (ctx, some, isWhole) =>
        applyFetched(ctx, { ...fetched, ...(isWhole && { repoRev }), records: some }),
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
        const timeUs = saidAtUs(ctx)
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
      writer.commit((ctx) => applyNotFound(ctx, uid, saidAtUs(ctx)))
    },
    served(account) {
      writer.commit((ctx) => applyServed(ctx, account))
    },
    leaveOut: count,
  }
}
