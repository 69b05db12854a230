// Which members' timelines are in memory: those of members who read here and, where several nodes share their
// members, whose bucket this node holds. A timeline is added when its member makes a request, and removed
// some seconds after its bucket is lost, a few at a time; the next one added takes its place in memory.

import type { Config } from '../../../base/config/config.ts'
import { BUCKETS, bucketOf } from '../../../data/engine/buckets.ts'
import { createHeldBuckets } from '../../../data/engine/held-buckets.ts'
import type { Db } from '../../../data/store/db.ts'
import type { Memory } from '../../indexing/memory/memory.ts'
import { openTimeline } from '../../indexing/memory/open-timeline.ts'

type MemberRings = {
  /** The member makes a request. */
  asked(did: string): void
  stop(): void
}

type Parts = {
  db: Db
  memory: Memory
  now: () => number
  settings: Pick<Config, 'engine'>
  /** See data/engine/held-buckets.ts. */
  buckets: SharedArrayBuffer
}

const EVERY_MS = 1_000
/** Keeps the timelines of a bucket that is lost only for a moment. */
const KEPT_FOR_MS = 10_000
const LOOKED_AT_ONCE = 2_000

export function createMemberRings(parts: Parts): MemberRings {
  const { db, memory, now, settings } = parts
  const held = createHeldBuckets(parts.buckets)
  const isShared = settings.engine !== undefined
  const own = createOwnBuckets(now, held.has)
  let left: number[] = []

  function giveUp(): void {
    const { actors, timelines } = memory
    if (own.haveGone()) left = [...timelines.owners()]
    for (const uid of left.splice(0, LOOKED_AT_ONCE)) {
      if (!own.has(bucketOf(actors.didOf(uid)))) timelines.close(uid)
    }
  }

  const timer = isShared ? setInterval(giveUp, EVERY_MS) : undefined
  return {
    asked(did) {
      const uid = memory.actors.uidOf(did)
      if (memory.timelines.isOpen(uid) || (isShared && !own.look(bucketOf(did)))) return
      openTimeline(db, memory, uid, now())
    },
    stop: () => clearInterval(timer),
  }
}

/** Buckets held now, or until a moment ago. */
function createOwnBuckets(now: () => number, isHeld: (bucket: number) => boolean) {
  const heldAt = new Map<number, number>()

  function look(bucket: number): boolean {
    if (isHeld(bucket)) heldAt.set(bucket, now())
    return isHeld(bucket)
  }

  return {
    look,
    has: (bucket: number) => heldAt.has(bucket),
    /** @returns whether any were dropped since the last call */
    haveGone(): boolean {
      for (let bucket = 0; bucket < BUCKETS; bucket++) look(bucket)
      const gone = [...heldAt].filter(([, at]) => now() - at > KEPT_FOR_MS)
      for (const [bucket] of gone) heldAt.delete(bucket)
      return gone.length > 0
    },
  }
}
