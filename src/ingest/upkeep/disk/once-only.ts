// The first thing that is given up for want of room: the memberships of accounts that came once and never again
// (data/store/seats.ts), and with them everything that is here for their sake alone. Nobody loses anything by it: who comes
// back is a newcomer. Until that is done, for some minutes at most, nothing else is given up.

import type { Logger } from '../../../base/obs/log.ts'
import { HOUR_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from '../../../data/store/db.ts'
import { nextGcCandidate } from '../../../data/store/gc-candidates.ts'
import { seatsOfOnce } from '../../../data/store/seats.ts'
import type { IndexContext } from '../../indexing/index-context.ts'
import { removeMember } from '../../indexing/members.ts'
import type { Writer } from '../../indexing/writer.ts'
import type { DiskRoom } from './disk-room.ts'

/** Somebody who came a moment ago may still be here. */
const UNSEEN_MS = HOUR_MS
const AT_ONCE = 100
const MAX_WAIT_MS = 10 * MINUTE_MS

export type OnceOnly = {
  /** Once a second. @returns whether this may still make some of the room that is wanted */
  look(isTight: boolean): boolean
}

export function createOnceOnly(options: {
  db: Db
  writer: Pick<Writer, 'commit'>
  room: Pick<DiskRoom, 'ifThereIsRoom'>
  /** DIDs that the configuration names. */
  namedMembers: () => readonly string[]
  now: () => number
  log: Pick<Logger, 'warn'>
}): OnceOnly {
  const { db, writer, room, namedMembers, now, log } = options
  let beganAt: number | undefined

  function leave(): number {
    const unseenSince = now() - UNSEEN_MS
    const seats = seatsOfOnce(db, { limit: AT_ONCE, except: namedMembers(), unseenSince })
    if (seats.length === 0) return 0
    const removeAll = (ctx: IndexContext) => {
      for (const { did } of seats) removeMember(ctx, did)
    }
    const isDone = room.ifThereIsRoom(() => writer.commit(removeAll))
    if (isDone)
      log.warn({ count: seats.length }, 'the disk is getting full: who came once only leaves')
    return isDone ? seats.length : 0
  }

  return {
    look(isTight) {
      if (!isTight) {
        beganAt = undefined
        return false
      }
      beganAt ??= now()
      const isLeaving = leave() > 0 || nextGcCandidate(db) !== undefined
      return isLeaving && now() - beganAt < MAX_WAIT_MS
    },
  }
}
