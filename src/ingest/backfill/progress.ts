// Tracks the running cold starts: checks each now and then, requests more if a timeline stays too short, logs
// the stages reached, and remembers finished ones for a while.

import type { Logger } from '../../base/obs/log.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import type { ColdStartProgress, ColdStartStage } from '../../bridge/messages.ts'
import { COLD_START, findBackfill, putBackfill } from '../../data/store/fetching/backfills.ts'
import { isJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { allMembers } from '../../data/store/members/members.ts'
import { findActor } from '../../data/store/records/actors.ts'
import { isFollowing } from '../../data/store/records/follows.ts'
import { type ColdStartContext, deepenTimeline, readColdStart } from './cold-start.ts'
import { noteMilestones } from './milestones.ts'

export type Progress = {
  /** The member's job was taken from the queue, perhaps again. */
  memberStarted(uid: number): void
  /** Checks the members that are due, within a short time slice however many they are. */
  check(): void
  status(): ColdStartProgress[]
  /**
   * Whether no cold start waits for this author's feed: the timelines that want it are full without
   * it.
   */
  isFeedSpare(author: number): boolean
}

type Active = { startedAt: number; lookAgainAt: number; latest: ColdStartProgress | undefined }

/** Message for each stage, logged when it is over. */
const REACHED: [stage: ColdStartStage, message: string][] = [
  ['follows', 'cold start: the follow list is read'],
  ['recent', 'cold start: the latest hours are loaded'],
  ['older', 'cold start: the timeline is filled'],
  ['rest', 'cold start done'],
]
const STAGES: ColdStartStage[] = [...REACHED.map(([stage]) => stage), 'done']
const LOOK_EVERY_MS = 250
/**
 * Rest after checking a member, as a multiple of the check's duration: checking members with
 * many follows takes long, and all checks together may take a twentieth of the time.
 */
const REST_FACTOR = 20
/** Time for all members per check: after a crash there may be a thousand of them. */
const CHECK_MS = 10
/** Due at once: a new member is checked before those present at startup. */
const NOW = 0
const FINISHED_FOR_MS = 10 * MINUTE_MS
const MAX_REPORTED = 100

type ProgressOptions = ColdStartContext & {
  log: Logger
  /** The mirror that is read because the member's own server is away. */
  mirrorOf: (uid: number) => string | undefined
}

export function createProgress(options: ProgressOptions): Progress {
  const { commit, db, log, mirrorOf, now } = options
  const active = new Map<number, Active>()
  let finished: ColdStartProgress[] = []
  for (const { uid } of allMembers(db)) if (!findBackfill(db, uid, COLD_START)) begin(uid, now())

  function begin(uid: number, lookAgainAt: number): void {
    active.set(uid, { startedAt: now(), lookAgainAt, latest: undefined })
  }

  function look(uid: number, active: Active): void {
    const began = performance.now()
    const did = findActor(db, uid)?.did ?? ''
    const before = active.latest?.stage
    const at = { did, startedAt: active.startedAt, mirror: mirrorOf(uid) }
    const latest = { ...at, ...readColdStart(options, uid) }
    active.latest = { ...latest, finishedAt: latest.stage === 'done' ? now() : undefined }
    if (latest.stage === 'older') deepenTimeline(options, uid)
    noteMilestones(options, uid)
    tell(active.latest, before)
    if (latest.stage === 'done') finish(uid, active.latest)
    active.lookAgainAt = now() + Math.max(LOOK_EVERY_MS, (performance.now() - began) * REST_FACTOR)
  }

  function tell(at: ColdStartProgress, before: ColdStartStage = 'follows'): void {
    const from = STAGES.indexOf(before)
    for (const [stage, message] of REACHED.slice(from, Math.max(from, STAGES.indexOf(at.stage)))) {
      const seconds = Math.round((now() - at.startedAt) / 100) / 10
      const { did: member, timelineItems, authors } = at
      log.info({ member, stage, seconds, authors: authors.total, timelineItems }, message)
    }
  }

  function finish(uid: number, at: ColdStartProgress): void {
    const done = { rev: null, finished_at: now() }
    commit((ctx) => putBackfill(ctx.db, uid, COLD_START, done))
    active.delete(uid)
    finished = [...recentOf(finished, now()), at].slice(-MAX_REPORTED)
  }

  return {
    memberStarted(uid) {
      if (active.has(uid)) return
      begin(uid, NOW)
      log.info({ member: findActor(db, uid)?.did }, 'cold start begun')
    },
    check() {
      const until = performance.now() + CHECK_MS
      for (const [uid, item] of longestDueFirst(active, now())) {
        look(uid, item)
        if (performance.now() > until) return
      }
    },
    status() {
      const going = [...active.values()].flatMap(({ latest }) => latest ?? [])
      const over = recentOf(finished, now())
      return [...going, ...over].slice(0, MAX_REPORTED)
    },
    isFeedSpare(author) {
      let isSpare = false
      for (const [uid, { latest }] of active) {
        if (!isFollowing(db, uid, author)) continue
        const isFull = latest !== undefined && latest.timelineItems >= latest.timelineTarget
        if (!isFull) return false
        isSpare = !isJobWaiting(db, 'member', uid)
      }
      return isSpare
    },
  }
}

function recentOf(finished: ColdStartProgress[], now: number): ColdStartProgress[] {
  return finished.filter(({ finishedAt = 0 }) => finishedAt >= now - FINISHED_FOR_MS)
}

function longestDueFirst(active: Map<number, Active>, now: number): [uid: number, one: Active][] {
  const due = [...active].filter(([, { lookAgainAt }]) => lookAgainAt <= now)
  return due.sort(([, a], [, b]) => a.lookAgainAt - b.lookAgainAt)
}
