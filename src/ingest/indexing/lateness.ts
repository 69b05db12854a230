// Detects repeated, late and reordered events. Rows with a rev are compared by it; for other rows, and
// removed ones, the key's tombstone is. Records fetched from a repository carry no rev. For them, any
// deletion or change of the key that we applied since the fetch began is newer than the fetched record. Both
// moments are read from our one clock, so the rule is exact however wrong other clocks are.

import { collectionCodes } from '../../base/atproto/collections.ts'
import { findTombstone, putTombstone, type RecordKey } from '../../data/store/records/tombstones.ts'
import type { IndexContext, RecordRemoval, RecordWrite } from './index-context.ts'

/** Whether the row already has this state of the record or a later one. */
export function isOutdated(
  row: { rev: string | null },
  event: { rev: string | undefined },
): boolean {
  return row.rev !== null && event.rev !== undefined && event.rev <= row.rev
}

export function laterRev(rev: string, other: string | null | undefined): string {
  return other && other > rev ? other : rev
}

/** Whether a deletion or change applied before is newer than this. */
export function isTombstoned(
  ctx: IndexContext,
  write: Pick<RecordWrite, 'uid' | 'collection' | 'rkey' | 'rev' | 'fetchedAt'>,
): boolean {
  if (write.uid === 0) return false
  const key = keyOf(write)
  if (!ctx.tombstones.mayHold(key)) return false
  const stone = findTombstone(ctx.db, key)
  if (!stone) return false
  if (write.rev !== undefined) return write.rev <= stone.rev
  return write.fetchedAt !== undefined && stone.deleted_at >= write.fetchedAt
}

/** Remembers that this key was deleted or changed at `rev`, and when we applied it. */
export function writeTombstone(
  ctx: IndexContext,
  event: Pick<RecordRemoval, 'uid' | 'collection' | 'rkey' | 'rev'>,
): void {
  const key = keyOf(event)
  ctx.tombstones.add(key)
  putTombstone(ctx.db, key, { rev: event.rev, deleted_at: ctx.now })
}

function keyOf(event: Pick<RecordRemoval, 'uid' | 'collection' | 'rkey'>): RecordKey {
  return { uid: event.uid, collection: collectionCodes[event.collection], rkey: event.rkey }
}
