// Which members' timelines are in memory: those of members who read here, as far as this node holds them. A
// timeline is added when its member makes a request.

import type { Db } from '../../../data/store/db.ts'
import type { Memory } from '../../indexing/memory/memory.ts'
import { openTimeline } from '../../indexing/memory/open-timeline.ts'

type Dependencies = {
  db: Db
  memory: Memory
  now: () => number
  /** Whether this node holds the member's timeline, and no other does. */
  isOurs: (did: string) => boolean
}

/** @returns what to call when a member makes a request */
export function createMemberRings({
  db,
  memory,
  now,
  isOurs,
}: Dependencies): (did: string) => void {
  return (did) => {
    const uid = memory.actors.uidOf(did)
    if (memory.timelines.isOpen(uid) || !isOurs(did)) return
    openTimeline(db, memory, uid, now())
  }
}
