// Joins the repair of gaps (replay/gap-repair.ts) with the ingest thread: the main stream's hosts,
// settings and filters, the same indexer, and the accounts in memory.

import type { Config } from '../config.ts'
import { type ActorReader, MEMBER } from '../graph/types.ts'
import type { Indexer } from '../indexing/indexer.ts'
import type { MemoryChange } from '../indexing/memory-changes.ts'
import type { Logger } from '../obs/log.ts'
import { createGapRepair, type GapRepair } from '../replay/gap-repair.ts'
import type { Circle } from '../replay/gap-sweep.ts'
import type { Tip } from '../replay/tip.ts'
import { collections } from '../store/collections.ts'
import type { Db } from '../store/db.ts'
import { streamFilters } from './stream-filters.ts'

export function createGapRepairing(
  config: Config,
  parts: {
    actors: ActorReader
    db: Db
    indexer: Indexer
    log: Logger
    now: () => number
    publish: (changes: MemoryChange[]) => void
    tip: () => Tip | undefined | 'wait'
    checkpoint: () => Promise<void> | undefined
    wakeBackfill: () => void
  },
): GapRepair {
  const { actors, checkpoint, wakeBackfill } = parts
  return createGapRepair({
    ...parts,
    circle: circleOf(actors),
    filters: () => streamFilters(config.indexScope, actors, config.trustedVerifiers),
    unread: config.indexScope === 'network' ? [] : collections,
    stream: {
      hosts: config.jetstreamHosts,
      wire: config.jetstreamWire,
      compress: config.jetstreamCompress,
      v1Dictionary: config.jetstreamV1Dictionary,
      cacheDir: config.dataDir,
    },
    onApplied: () => {
      wakeBackfill()
      return checkpoint()
    },
    onJobs: wakeBackfill,
  })
}

/** Members and whom they follow. */
export function circleOf(actors: ActorReader): Circle {
  const isInside = (uid: number) =>
    actors.memberFollowersOf(uid) > 0 || (actors.flagsOf(uid) & MEMBER) !== 0
  return {
    next(after, limit) {
      const uids: number[] = []
      for (let uid = after + 1; uid <= actors.count && uids.length < limit; uid++) {
        if (isInside(uid)) uids.push(uid)
      }
      return uids
    },
    others() {
      let others = 0
      for (let uid = 1; uid <= actors.count; uid++) if (!isInside(uid)) others++
      return others
    },
  }
}
