// How far the cold starts of members are. Nothing is counted along the way: the queue and the rows
// tell, so the figures are right after a restart too.

import type { Logger } from '../obs/log.ts'
import { findActor } from '../store/actors.ts'
import { COLD_START, findBackfill, putBackfill } from '../store/backfills.ts'
import type { Db } from '../store/db.ts'
import { followsWaiting, isAnyFollowWaiting } from '../store/follow-order.ts'
import { isJobWaiting } from '../store/job-schedule.ts'
import { allMembers } from '../store/members.ts'

export type MemberProgress = {
  did: string
  /** Authors whose recent feed is wanted, and those that have it. */
  authors: { total: number; done: number }
}

export type Progress = {
  memberStarted(uid: number): void
  /** Looks whether somebody's cold start is over; cheap enough for every few seconds. */
  check(): void
  status(): MemberProgress[]
}

export function createProgress(options: { db: Db; log: Logger; now: () => number }): Progress {
  const { db, log, now } = options
  /** Members whose cold start goes on, and when we saw it begin. */
  const active = new Map<number, number>()
  for (const { uid } of allMembers(db)) {
    if (!findBackfill(db, uid, COLD_START)) active.set(uid, now())
  }

  const didOf = (uid: number) => findActor(db, uid)?.did ?? ''

  function finish(uid: number, startedAt: number): void {
    active.delete(uid)
    putBackfill(db, uid, COLD_START, { rev: null, finished_at: now() })
    const { total } = followsWaiting(db, uid, 'feed')
    const seconds = Math.round((now() - startedAt) / 100) / 10
    log.info({ member: didOf(uid), authors: total, seconds }, 'cold start done')
  }

  return {
    memberStarted(uid) {
      if (!active.has(uid)) active.set(uid, now())
      log.info({ member: didOf(uid) }, 'cold start begun')
    },
    check() {
      for (const [uid, startedAt] of active) {
        const isRunning = isJobWaiting(db, 'member', uid) || isAnyFollowWaiting(db, uid, 'feed')
        if (!isRunning) finish(uid, startedAt)
      }
    },
    status: () =>
      [...active.keys()].map((uid) => {
        const { total, waiting } = followsWaiting(db, uid, 'feed')
        return { did: didOf(uid), authors: { total, done: total - waiting } }
      }),
  }
}
