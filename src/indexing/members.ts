// Who reads here, and their private state. Called through `Indexer.run`, so rows are committed
// before memory moves.

import { deleteBackfillsOf } from '../store/backfills.ts'
import { DOUBT, putDoubt } from '../store/doubts.ts'
import { followedBy } from '../store/follows.ts'
import { enqueueJob } from '../store/jobs.ts'
import { deleteMember, findMember, insertMember, setMemberSeen } from '../store/members.ts'
import { wantReplay } from '../store/replays.ts'
import { type IndexContext, internActor, isAuthor } from './index-context.ts'
import { beginToNotify } from './notify-backlog.ts'
import { finishPrivateRemoval } from './retention/settle-doubts.ts'
import { wantAuthorAt, wantVerifiers } from './wanted.ts'

const SEEN_EVERY_MS = 10 * 60_000

/**
 * A member asked for something, or (`seenAt` null) is listed in the configuration. A new one's
 * cold start is queued, and those they are known to follow become authors.
 */
export function memberSeen(ctx: IndexContext, did: string, seenAt: number | null = ctx.now): void {
  const uid = internActor(ctx, did)
  const row = findMember(ctx.db, uid)
  if (row) {
    const isDue = seenAt !== null && seenAt - (row.last_seen_at ?? 0) >= SEEN_EVERY_MS
    if (isDue) setMemberSeen(ctx.db, uid, seenAt)
    beginToNotify(ctx, uid, seenAt !== null)
    return
  }
  // Whoever was one before is a newcomer.
  finishPrivateRemoval(ctx, uid)
  deleteBackfillsOf(ctx.db, uid)
  insertMember(ctx.db, { uid, joined_at: ctx.now, last_seen_at: seenAt })
  enqueueJob(ctx.db, 'member', uid)
  wantReplay(ctx.db, uid, ctx.now)
  wantVerifiers(ctx)
  beginToNotify(ctx, uid, seenAt !== null)
  const followed = followedBy(ctx.db, uid).toReversed()
  for (const [place, subject] of followed.entries()) {
    if (!isAuthor(ctx, subject)) wantAuthorAt(ctx, subject, place)
  }
  ctx.changes.push({ kind: 'member-added', uid })
}

/** The account reads here no more. What was kept for them alone goes bit by bit (retention/). */
export function removeMember(ctx: IndexContext, did: string): void {
  const uid = ctx.actors.uidOf(did)
  if (uid === 0 || !deleteMember(ctx.db, uid)) return
  putDoubt(ctx.db, DOUBT.member, uid)
  ctx.changes.push({ kind: 'member-removed', uid })
}
