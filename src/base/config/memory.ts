// What a server takes in memory, and how SLIPSTREAM_MEMORY_MB divides what it may take: what is stored needs what it
// needs, pages of the database get a share of the whole, and the caches of answers what is left. The units are those of
// docs/COST.md (docs/figures.json), taken times what its own check measured above the model.

import type { Config } from './config.ts'

/** `memory.empty.rss_mb`, `graph.bytes_per_edge`; accounts and timelines as in `cost.active.1e4.ram.*`. */
export const UNITS = {
  emptyBytes: 220e6,
  bytesPerEdge: 10.85,
  bytesPerAccount: 39.4,
  bytesPerTimelineItem: 19.84,
  /** `cost.check.ram.ratio` */
  measuredOverModel: 1.45,
}

/** `members`: those whose timelines are in memory. */
export type Sizes = { members: number; actors: number; follows: number }

type Limits = Pick<Config, 'memoryMb' | 'serveThreads' | 'answerCacheMb'>

const MB = 1e6
const KIB_PER_MB = 1_024
/** Of a connection to the database. */
const PAGES_MB = { most: 64, least: 4, share: 0.15 }
const LEAST_ANSWERS_MB = 8

export function storedBytes(
  { members, actors, follows }: Sizes,
  { timelineLength }: Pick<Config, 'timelineLength'>,
): number {
  return (
    follows * UNITS.bytesPerEdge +
    actors * UNITS.bytesPerAccount +
    members * timelineLength * UNITS.bytesPerTimelineItem
  )
}

/** KiB of database pages that each connection keeps: that of the writer, and one for each serving thread. */
export function pageCacheKib({ memoryMb, serveThreads }: Limits): number {
  const { most, least, share } = PAGES_MB
  const each = memoryMb === 0 ? most : (memoryMb * share) / (1 + serveThreads)
  return Math.floor(Math.min(most, Math.max(least, each)) * KIB_PER_MB)
}

/** Bytes of answers that each serving thread keeps. `missing`: by how much the whole is more than it may be. */
export function answerCacheBytes(
  sizes: Sizes,
  limits: Limits & Pick<Config, 'timelineLength'>,
): { bytes: number; missing: number } {
  const { memoryMb, serveThreads, answerCacheMb } = limits
  const most = answerCacheMb * MB
  if (memoryMb === 0) return { bytes: most, missing: 0 }
  const taken = UNITS.emptyBytes + storedBytes(sizes, limits) * UNITS.measuredOverModel
  const left = (memoryMb * MB - taken) / serveThreads
  const least = Math.min(most, LEAST_ANSWERS_MB * MB)
  const bytes = Math.min(most, Math.max(least, left))
  return { bytes, missing: Math.max(0, (bytes - left) * serveThreads) }
}
