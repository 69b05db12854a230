// Connects the repair of gaps (ingest/replay/gap-repair.ts) with the ingest thread: the main stream's hosts,
// settings and filters, the same indexer, and the accounts in memory.

import type { Config } from '../../../base/config/config.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import { createGapRepair, type GapRepair, type GapRepairOptions } from '../../replay/gap-repair.ts'
import { circleOf } from '../../replay/gap-sweep.ts'
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
