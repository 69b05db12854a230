// A candidate post is kept for what it is still needed for: whole, without its record since others point at it,
// or not at all. What it pointed at, and what was said to it, become candidates in their turn.

import { dropOpReply, dropPostRow } from '../../../data/store/drop-rows.ts'
import { deleteGate, gateTables } from '../../../data/store/gates.ts'
import { GC, putGcCandidate } from '../../../data/store/gc-candidates.ts'
import { ANCHOR } from '../../../data/store/post-flags.ts'
import {
  findPostById,
  makeStub,
  type PostRow,
  PRESENT,
  PRUNED,
  setPostFlags,
} from '../../../data/store/posts.ts'
import { forgetSeedPostCounts } from '../../../data/store/seed-counts.ts'
import { dropCountsOfPost, type IndexContext } from '../index-context.ts'
import { retractPost } from '../retract-post.ts'
import {
  hasStrangersReactions,
  isAnchored,
  isKeptWhole,
  isRecordNeeded,
  isRowNeeded,
} from './post-needs.ts'

export function sweepPost(ctx: IndexContext, id: number): void {
  const row = findPostById(ctx.db, id)
  if (!row || isKeptWhole(ctx, row.uid)) return
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

/** The record goes, with all that it counts for. */
function takeAway(ctx: IndexContext, row: PostRow): void {
  retractPost(ctx, row)
  if (row.root !== null) dropOpReply(ctx.db, row.root, row.id)
  for (const table of gateTables) deleteGate(ctx.db, table, row.id)
  makeStub(ctx.db, row)
  // Should it be shown again, what we count of it now is not all that was.
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

/** The row of a post without a record, that nothing points at. */
export function dropRow(ctx: IndexContext, row: PostRow): void {
  for (const table of gateTables) deleteGate(ctx.db, table, row.id)
  dropPostRow(ctx.db, row)
  // What this transaction has counted would bring its counts back.
  dropCountsOfPost(ctx, row.id)
}
