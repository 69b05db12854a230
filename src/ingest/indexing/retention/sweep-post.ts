// Reduces a candidate post to what is still needed: the whole post, a row without a record since others
// reference it, or nothing. The posts it references, and replies and reactions to it, become candidates too.

import { forgetSeedPostCounts } from '../../../data/store/counts/seed-counts.ts'
import { deleteGate, gateTables } from '../../../data/store/posts/gates.ts'
import { ANCHOR } from '../../../data/store/posts/post-flags.ts'
import {
  findPostById,
  makeStub,
  type PostRow,
  PRESENT,
  PRUNED,
  setPostFlags,
} from '../../../data/store/posts/posts.ts'
import { dropOpReply, dropPostRow } from '../../../data/store/removal/drop-rows.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { dropCountsOfPost, type IndexContext } from '../index-context.ts'
import { retractPost } from '../records/retract-post.ts'
import {
  hasStrangersReactions,
  isAnchored,
  isRecordNeeded,
  isRowNeeded,
  isStoredWhole,
} from './post-needs.ts'

export function sweepPost(ctx: IndexContext, id: number): void {
  const row = findPostById(ctx.db, id)
  if (!row || isStoredWhole(ctx, row.uid)) return
  if (isAnchored(ctx, id)) return
  const wasAnchor = (row.flags & ANCHOR) !== 0
  const hasRecord = row.state === PRESENT || row.state === PRUNED
  if (isRecordNeeded(ctx, row)) {
    if (wasAnchor) setPostFlags(ctx.db, id, row.flags & ~ANCHOR)
  } else if (hasRecord) takeAway(ctx, row)
  else if (wasAnchor) makeStub(ctx.db, row)
  else if (!isRowNeeded(ctx, row)) return drop(ctx, row)
  else if (hasStrangersReactions(ctx, id)) putGcCandidate(ctx.db, GC.around, id)
  if (wasAnchor || (hasRecord && findPostById(ctx.db, id)?.state !== row.state)) {
    addWhatItPointsAt(ctx, row)
    putGcCandidate(ctx.db, GC.around, id)
  }
}

/** Removes the record, with its share of counts. */
function takeAway(ctx: IndexContext, row: PostRow): void {
  retractPost(ctx, row)
  if (row.root !== null) dropOpReply(ctx.db, row.root, row.id)
  for (const table of gateTables) deleteGate(ctx.db, table, row.id)
  makeStub(ctx.db, row)
  // If the post is shown again, our current counts of it are incomplete.
  forgetSeedPostCounts(ctx.db, row.id)
}

export function addWhatItPointsAt({ db }: IndexContext, { root, parent, quote }: PostRow): void {
  for (const post of new Set([root, parent, quote])) {
    if (post !== null) putGcCandidate(db, GC.post, post)
  }
}

function drop(ctx: IndexContext, row: PostRow): void {
  dropRow(ctx, row)
  putGcCandidate(ctx.db, GC.account, row.uid)
}

/** Drops the row of a post without a record that no other post references. */
export function dropRow(ctx: IndexContext, row: PostRow): void {
  for (const table of gateTables) deleteGate(ctx.db, table, row.id)
  dropPostRow(ctx.db, row)
  // The counts of this transaction would otherwise recreate the row's counts.
  dropCountsOfPost(ctx, row.id)
}
