// Joins the repair of gaps (ingest/replay/gap-repair.ts) with the ingest thread: the main stream's hosts,
// settings and filters, the same indexer, and the accounts in memory.

import type { Config } from '../../base/config/config.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { isInCircle } from '../indexing/index-context.ts'
import { createGapRepair, type GapRepair, type GapRepairOptions } from '../replay/gap-repair.ts'
import type { Circle } from '../replay/gap-sweep.ts'
import { streamFilters } from './stream-filters.ts'
import { unreadCollections } from './stream-settings.ts'

export function createGapRepairing(
  config: Config,
  parts: Omit<GapRepairOptions, 'circle' | 'filters' | 'unread'> & { actors: ActorReader },
): GapRepair {
  const { actors } = parts
  return createGapRepair({
    ...parts,
    circle: circleOf(actors),
    filters: () => streamFilters(config.indexScope, actors, config.trustedVerifiers),
    unread: unreadCollections(config),
  })
}

/** Members and whom they follow. */
export function circleOf(actors: ActorReader): Circle {
  const isInside = (uid: number) => isInCircle(actors, uid)
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
