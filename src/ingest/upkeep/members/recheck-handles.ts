// Looks up again the handles of members and the accounts they follow, since no event tells of a change in DNS:
// one that did not lead to its account after an hour, others after a day, as in the reference. Goes round all
// accounts, a few at a time.

import { DAY_MS, HOUR_MS } from '../../../base/util/durations.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { WriteDb } from '../../../data/store/db.ts'
import { enqueueJob, SLOW_LANE } from '../../../data/store/fetching/jobs.ts'
import { findActor } from '../../../data/store/records/actors.ts'
import { isInCircle } from '../../indexing/index-context.ts'

const LOOKED_AT = 20_000
const READ_AT_ONCE = 2_000
const QUEUED_AT_ONCE = 200
/** Before the slow lane's own jobs, after everything else. */
const PRIORITY = SLOW_LANE - 1

/** @returns a step, which returns how many look-ups it queued */
export function createHandleChecks(
  actors: Pick<ActorReader, 'count' | 'flagsOf' | 'memberFollowersOf'>,
): (db: WriteDb, now: number) => number {
  let last = 0

  /** The next accounts, from the first again after the last one. */
  function nextInCircle(): number[] {
    const found: number[] = []
    const steps = Math.min(LOOKED_AT, actors.count)
    for (let step = 0; step < steps && found.length < READ_AT_ONCE; step++) {
      last = (last % actors.count) + 1
      if (isInCircle(actors, last)) found.push(last)
    }
    return found
  }

  return (db, now) => {
    let queued = 0
    for (const uid of nextInCircle()) {
      if (!isDue(db, uid, now)) continue
      enqueueJob(db, 'identity', uid, PRIORITY)
      if (++queued < QUEUED_AT_ONCE) continue
      last = uid
      break
    }
    return queued
  }
}

function isDue(db: WriteDb, uid: number, now: number): boolean {
  const actor = findActor(db, uid)
  if (actor?.status !== 0 || actor.identity_checked_at === null) return false
  const afterMs = actor.handle_valid === 1 ? DAY_MS : HOUR_MS
  return now - actor.identity_checked_at >= afterMs
}
