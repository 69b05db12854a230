// How far a member's cold start is, and what it needs next. No counters are kept: the figures are derived
// from the queue and the rows, so they are right after a restart too.

import type { ColdStartProgress, ColdStartStage } from '../../bridge/messages.ts'
import type { Db } from '../../data/store/db.ts'
import { deepenable } from '../../data/store/fetching/feed-depths.ts'
import { countOutstanding } from '../../data/store/fetching/follow-order.ts'
import { type JobKind, jobPriority } from '../../data/store/fetching/job-kinds.ts'
import { countJobsAmong, isJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { enqueueJob, SLOW_LANE } from '../../data/store/fetching/jobs.ts'
import { followedBy } from '../../data/store/records/follows.ts'
import { replaysOf } from '../../data/store/stream/replays.ts'
import type { Writer } from '../indexing/writer.ts'
import type { BackfillLimits } from './limits.ts'

export type ReplayProgress = { id: number; fromUs: number; reachedUs: number | undefined }

export type ColdStartContext = {
  db: Db
  commit: Writer['commit']
  now: () => number
  limits: Pick<BackfillLimits, 'timelineTarget' | 'olderPages' | 'olderAuthors'>
  /** Counts the items of the member's timeline, up to `limit`. */
  timelineItems: (uid: number, limit: number) => number
  /** The running replays; undefined if there is no replaying. */
  replays: (() => readonly ReplayProgress[]) | undefined
}

type ColdStart = Omit<ColdStartProgress, 'did' | 'startedAt' | 'finishedAt'>

const OF_AUTHORS: JobKind[] = [
  ...(['identity', 'profile', 'feed', 'recent', 'older'] as const),
  ...(['follows', 'blocks', 'records'] as const),
]
const OWN: JobKind[] = [...OF_AUTHORS, 'repo']

export function readColdStart(context: ColdStartContext, uid: number): ColdStart {
  const { db, now, limits, timelineItems } = context
  const { timelineTarget } = limits
  const authors = followedBy(db, uid)
  const all = [...authors, uid]
  const left = (uids: number[], kinds: JobKind[], priority = SLOW_LANE - 1) =>
    countOutstanding(db, uids, { kinds, priority, now: now() })
  const isListing = isJobWaiting(db, 'member', uid)
  const replay = readReplay(context, all, left(all, ['recent']))
  const feedsLeft = left(authors, ['feed'], jobPriority.feed)
  const items = timelineItems(uid, timelineTarget)
  const total = authors.length
  const isShort = items < timelineTarget && (feedsLeft > 0 || isDeepening(context, all))
  const unfinished = left(authors, OF_AUTHORS)
  const isRestLeft = unfinished > 0 || left([uid], OWN) > 0
  return {
    stage: stageOf({ isListing, isRecentLeft: replay.state !== 'done', isShort, isRestLeft }),
    follows: { done: total, total: isListing ? undefined : total },
    replay,
    authors: { done: total - feedsLeft, total },
    complete: { done: total - unfinished, total },
    later: countJobsAmong(db, 'author', authors),
    timelineItems: items,
    timelineTarget,
  }
}

/** Requests older posts if all feeds are read and the timeline is still too short. */
export function deepenTimeline(context: ColdStartContext, uid: number): void {
  const { commit, db, now, limits } = context
  const uids = [...followedBy(db, uid), uid]
  const kinds: JobKind[] = ['feed', 'older', 'recent']
  if (countOutstanding(db, uids, { kinds, priority: SLOW_LANE - 1, now: now() }) > 0) return
  const { olderPages: maxPages, olderAuthors: limit } = limits
  const authors = deepenable(db, uids, { maxPages, limit })
  commit((ctx) => {
    for (const author of authors) enqueueJob(ctx.db, 'older', author)
  })
}

function isDeepening({ db, now, limits }: ColdStartContext, uids: number[]): boolean {
  const kinds: JobKind[] = ['older']
  if (countOutstanding(db, uids, { kinds, priority: SLOW_LANE - 1, now: now() }) > 0) return true
  return deepenable(db, uids, { maxPages: limits.olderPages, limit: 1 }).length > 0
}

function readReplay(
  { db, now, replays }: ColdStartContext,
  uids: number[],
  listing: number,
): ColdStart['replay'] {
  const over = { cursorUs: undefined, percent: 100 }
  const state = listing > 0 ? 'listed' : 'done'
  if (!replays) return { state, ...over }
  const { waiting, running } = replaysOf(db, uids)
  const positions = replays().filter(({ id }) => running.has(id))
  if (waiting > 0 || positions.length < running.size) {
    return { state: 'waiting', cursorUs: undefined, percent: 0 }
  }
  if (positions.length === 0) return { state, ...over }
  const slowest = positions.reduce((a, b) => (shareOf(a, now()) <= shareOf(b, now()) ? a : b))
  const percent = Math.floor(100 * shareOf(slowest, now()))
  return { state: 'running', cursorUs: slowest.reachedUs, percent }
}

function shareOf({ fromUs, reachedUs = fromUs }: ReplayProgress, nowMs: number): number {
  const share = (reachedUs - fromUs) / Math.max(1, nowMs * 1000 - fromUs)
  return Math.min(0.99, Math.max(0, share))
}

function stageOf(what: {
  isListing: boolean
  isRecentLeft: boolean
  isShort: boolean
  isRestLeft: boolean
}): ColdStartStage {
  if (what.isListing) return 'follows'
  if (what.isRecentLeft) return 'recent'
  if (what.isShort) return 'older'
  return what.isRestLeft ? 'rest' : 'done'
}
