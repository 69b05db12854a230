// Which members' timelines are in memory where several nodes share their members: those whose bucket this node
// holds. They are removed some seconds after the bucket is lost, a few at a time; the next one added takes their
// cluster in memory.

import type { Memory } from '../../ingest/indexing/memory/memory.ts'
import { BUCKETS, bucketOf } from './engine/buckets.ts'
import type { HeldBuckets } from './engine/held-buckets.ts'

type Dependencies = {
  memory: Pick<Memory, 'actors' | 'timelines'>
  now: () => number
  held: Pick<HeldBuckets, 'has'>
}

const EVERY_MS = 1_000
/** Keeps the timelines of a bucket that is lost only for a moment. */
const CACHED_FOR_MS = 10_000
const LOOKED_AT_ONCE = 2_000

export function createOwnRings({ memory, now, held }: Dependencies): {
  /** Whether this node holds the member's timeline. */
  isOurs(did: string): boolean
  stop(): void
} {
  const own = createOwnBuckets(now, held.has)
  let left: number[] = []

  function giveUp(): void {
    const { actors, timelines } = memory
    if (own.haveGone()) left = [...timelines.owners()]
    for (const uid of left.splice(0, LOOKED_AT_ONCE)) {
      if (!own.has(bucketOf(actors.didOf(uid)))) timelines.close(uid)
    }
  }

  const timer = setInterval(giveUp, EVERY_MS)
  return {
    isOurs: (did) => own.look(bucketOf(did)),
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
      const gone = [...heldAt].filter(([, at]) => now() - at > CACHED_FOR_MS)
      for (const [bucket] of gone) heldAt.delete(bucket)
      return gone.length > 0
    },
  }
}
