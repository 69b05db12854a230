// The first thing to give up when disk space runs out: the memberships of accounts that came once and never
// again (data/store/members/seats.ts), and with them all data kept only for them. They lose nothing: an account that
// returns is a newcomer. Until this is done, for some minutes at most, nothing else is given up.

import type { Logger } from '../../../base/obs/log.ts'
import { HOUR_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from '../../../data/store/db.ts'
import { seatsOfOnce } from '../../../data/store/members/seats.ts'
import { nextGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import type { IndexContext } from '../../indexing/index-context.ts'
import { removeMember } from '../../indexing/members/members.ts'
import type { Writer } from '../../indexing/writer.ts'
import type { DiskSpace } from './disk-space.ts'

/** A member seen within this time may still be here. */
const UNSEEN_MS = HOUR_MS
const AT_ONCE = 100
const MAX_WAIT_MS = 10 * MINUTE_MS

export type OnceOnly = {
  /** Called once a second. @returns whether this may still free some of the space needed */
  look(isTight: boolean): boolean
}

export function createOnceOnly(options: {
  db: Db
  writer: Pick<Writer, 'commit'>
  diskSpace: Pick<DiskSpace, 'ifThereIsSpace'>
  /** DIDs named by the configuration. */
  namedMembers: () => readonly string[]
  now: () => number
  log: Pick<Logger, 'warn'>
}): OnceOnly {
  const { db, writer, diskSpace, namedMembers, now, log } = options
  let beganAt: number | undefined

  function leave(): number {
    const unseenSince = now() - UNSEEN_MS
    const seats = seatsOfOnce(db, { limit: AT_ONCE, except: namedMembers(), unseenSince })
    if (seats.length === 0) return 0
    const removeAll = (ctx: IndexContext) => {
      for (const { did } of seats) removeMember(ctx, did)
    }
    const isDone = diskSpace.ifThereIsSpace(() => writer.commit(removeAll))
    if (isDone)
      log.warn(
        { count: seats.length },
        'the disk is getting full: removing members that came only once',
      )
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
