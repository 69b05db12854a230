// Removes what a host made up. Its revision may be of any time, and later than anything that the account signs:
// so the row goes whatever it says, and the key is then as of the account's proven revision.

import { collectionCodes, isIndexed } from '../../base/atproto/collections.ts'
import { packRkey, unpackRkey } from '../../base/atproto/keys.ts'
import { lowerTombstone } from '../../data/store/records/tombstones.ts'
import { applyBatch } from '../../ingest/indexing/apply-batch.ts'
import type { IndexContext } from '../../ingest/indexing/index-context.ts'
import type { HeardCommit } from './heard.ts'

/** @param rev - at which the account's signed tree does not have what was said */
export function undoForged(ctx: IndexContext, commit: HeardCommit, rev: string): void {
  const { did, collection, rkey } = commit
  const uid = ctx.actors.uidOf(did)
  if (uid === 0 || !isIndexed(collection)) return
  const timeUs = ctx.now * 1000
  const base = { kind: 'commit', operation: 'delete', did, collection, rkey, timeUs } as const
  applyBatch(ctx, { events: [{ ...base, rev: after(commit.rev), seq: undefined }] })
  const key = { uid, collection: collectionCodes[collection], rkey: packRkey(rkey) }
  lowerTombstone(ctx.db, key, rev)
}

/** The next TID. */
function after(rev: string): string {
  const packed = packRkey(rev)
  if (typeof packed === 'string') return rev
  const next = Buffer.alloc(8)
  next.writeBigUInt64BE(packed.readBigUInt64BE() + 1n)
  return unpackRkey(next)
}
