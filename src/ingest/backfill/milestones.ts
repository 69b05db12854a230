// Records how far a cold start has loaded posts, for the serving threads: a page read meanwhile waits for it,
// and is never the last (http/xrpc/waiting/first-page.ts). Each milestone is reached once, and all of them at some
// time, since jobs that wait for a server or are queued again may never be done.

import { MINUTE_MS } from '../../base/util/durations.ts'
import {
  COLD_START_BEGUN,
  findBackfill,
  MILESTONES,
  putBackfill,
} from '../../data/store/fetching/backfills.ts'
import { deepenable, knownSince } from '../../data/store/fetching/feed-depths.ts'
import { countOutstanding, isFirstTryDue } from '../../data/store/fetching/follow-order.ts'
import type { JobKind } from '../../data/store/fetching/job-kinds.ts'
import { SLOW_LANE } from '../../data/store/fetching/jobs.ts'
import { followedBy } from '../../data/store/records/follows.ts'
import { replaysOf } from '../../data/store/stream/replays.ts'
import type { ColdStartContext } from './cold-start.ts'

const MEMBER: JobKind[] = ['member']
const LATEST: JobKind[] = ['latest']
const RECENT: JobKind[] = ['recent']
const POSTS: JobKind[] = ['recent', 'feed', 'older']
/** Deadline for the milestones; the cold start itself may go on for longer. */
const LONGEST_MS = 30 * MINUTE_MS

/** Stops at the first milestone that is not reached. */
export function noteMilestones(context: ColdStartContext, uid: number): void {
  const { commit, db, now } = context
  if (findBackfill(db, uid, MILESTONES.posts)) return
  const isOverdue = now() - begunAt(context, uid) >= LONGEST_MS
  const isListing = countOutstanding(db, [uid], { kinds: MEMBER, now: now() }) > 0
  if (isListing && !isOverdue) return
  const uids = [...followedBy(db, uid), uid]
  const isDue = (kinds: JobKind[]) => isFirstTryDue(db, uids, { kinds, now: now() })
  const isNewest = () => !isReplaying(context, uids) && !isDue(RECENT)
  const isReached = {
    latest: () => !isDue(LATEST) || isNewest(),
    newest: isNewest,
    feeds: () => !isDue(POSTS) && !isShort(context, uid, uids),
    posts: () =>
      countOutstanding(db, uids, { kinds: POSTS, priority: SLOW_LANE - 1, now: now() }) === 0 &&
      !isShort(context, uid, uids),
  }
  for (const name of ['latest', 'newest', 'feeds', 'posts'] as const) {
    const what = MILESTONES[name]
    if (findBackfill(db, uid, what)) continue
    if (!isOverdue && !isReached[name]()) return
    const rev = name === 'latest' ? String(knownSince(db, uids)) : null
    const reached = { rev, finished_at: now() }
    commit((ctx) => putBackfill(ctx.db, uid, what, reached))
  }
}

/** Stored, so that a restart does not start the time again. */
function begunAt({ commit, db, now }: ColdStartContext, uid: number): number {
  const begun = findBackfill(db, uid, COLD_START_BEGUN)?.finished_at
  if (begun !== undefined) return begun
  const row = { rev: null, finished_at: now() }
  commit((ctx) => putBackfill(ctx.db, uid, COLD_START_BEGUN, row))
  return row.finished_at
}

function isReplaying({ db, replays }: ColdStartContext, uids: number[]): boolean {
  if (!replays) return false
  const { waiting, running } = replaysOf(db, uids)
  return waiting > 0 || running.size > 0
}

/** Whether older posts are still to be requested. */
function isShort(context: ColdStartContext, uid: number, uids: number[]): boolean {
  const { db, limits, timelineItems } = context
  if (deepenable(db, uids, { maxPages: limits.olderPages, limit: 1 }).length === 0) return false
  return timelineItems(uid, limits.timelineTarget) < limits.timelineTarget
}
