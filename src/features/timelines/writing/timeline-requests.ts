// The serving threads' write requests for the timelines service, each in one transaction, and the periodic
// work on timelines: gives up numbers missing for five seconds, and drops data that is too old.

import { DAY_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import { arrivalTime } from '../../../data/store/timelines/arrivals.ts'
import type { Writer } from '../../../ingest/indexing/writer.ts'
import type { TimelineOutcomes, TimelineRequest } from '../requests.ts'
import { hasDroppedGraph } from '../store/programs/custom-graphs.ts'
import { giveUpHoles, hasOpenHoles, prunePostedKeys } from '../store/programs/custom-numbers.ts'
import {
  customTimelineIds,
  touchCustomTimeline,
  trimCustomEvents,
} from '../store/programs/custom-timelines.ts'
import { rotateSigningKeys } from '../store/signing-keys.ts'
import { pruneCursors } from '../store/timeline-cursors.ts'
import { createAppend, KEYS_LAST_MS, LIMITS, type TimelineLimits } from './append.ts'
import { clearGraphs, editGraph } from './edit-graph.ts'
import { followLog, planPosts } from './follow-log.ts'
import { storeReadingPosition } from './store-cursor.ts'

type DiskSpace = {
  attempt<T>(work: () => T): T
  ifThereIsSpace(work: () => void): void
}

type Dependencies = {
  db: Db
  writer: Pick<Writer, 'commit'>
  diskSpace: DiskSpace
  limits?: TimelineLimits
  /** Keeps the database's log short. */
  tendLog?: () => Promise<void> | undefined
}

/** How often missing numbers are checked, and how long they may take. */
const LOOKED_FOR_EVERY_MS = 500
const WAITED_FOR_MS = 5_000
const TIDIED_EVERY_MS = MINUTE_MS
const EVENTS_LAST_MS = 90 * DAY_MS
/** A position that is not stored again. */
const CURSORS_LAST_MS = 90 * DAY_MS
const PRUNED_AT_ONCE = 5_000

export function createTimelineRequests(
  parts: Dependencies,
): (request: TimelineRequest) => TimelineOutcomes {
  const { writer, diskSpace } = parts
  const append = createAppend(parts.limits ?? LIMITS)

  function write(request: TimelineRequest): TimelineOutcomes {
    return writer.commit((ctx) => {
      const { db, now } = ctx
      if (request.kind === 'plan-posts') return [planPosts(db, append, { ...request, now })]
      if (request.kind === 'follow-log') {
        followLog(db, request)
        return []
      }
      if (request.kind === 'post') {
        return append(db, request.posts, now, undefined, arrivalTime(db))
      }
      if (request.kind === 'graph') return [editGraph(db, request.edit, { now })]
      return [storeReadingPosition(ctx, request.cursor)]
    })
  }

  return (request) => {
    const outcomes = diskSpace.attempt(() => write(request))
    void parts.tendLog?.()
    return outcomes
  }
}

export function tendTimelines({
  db,
  writer,
  diskSpace,
}: Pick<Dependencies, 'db' | 'writer'> & { diskSpace: Pick<DiskSpace, 'ifThereIsSpace'> }): {
  stop(): void
} {
  const commit = (work: (db: WriteDb, now: number) => void) =>
    diskSpace.ifThereIsSpace(() => writer.commit(({ db, now }) => work(db, now)))
  commit(rotateSigningKeys)
  const looking = setInterval(() => {
    if (hasOpenHoles(db)) commit(giveUp)
    if (hasDroppedGraph(db)) commit(clearGraphs)
  }, LOOKED_FOR_EVERY_MS)
  const tidying = setInterval(() => commit(tidy), TIDIED_EVERY_MS)
  return {
    stop() {
      clearInterval(looking)
      clearInterval(tidying)
    },
  }
}

/** A clock set back must not make a hole wait for ever. */
function giveUp(db: WriteDb, now: number): void {
  for (const id of giveUpHoles(db, { openedBy: now - WAITED_FOR_MS, now })) {
    touchCustomTimeline(db, id)
  }
}

function tidy(db: WriteDb, now: number): void {
  rotateSigningKeys(db, now)
  prunePostedKeys(db, now - KEYS_LAST_MS, PRUNED_AT_ONCE)
  pruneCursors(db, now - CURSORS_LAST_MS, PRUNED_AT_ONCE)
  let left = PRUNED_AT_ONCE
  for (const timeline of customTimelineIds(db)) {
    if (left <= 0) return
    const before = now - EVENTS_LAST_MS
    left -= trimCustomEvents(db, { timeline, before, limit: left }).events
  }
}
