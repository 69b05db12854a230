// A server's memory use, and how SLIPSTREAM_MEMORY_MB is divided: stored data takes what it needs, database
// pages get a share of the whole, and the answer caches get the rest. The units are those of docs/COST.md
// (docs/figures.json), scaled by the excess over the model that its own check measured.

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

/** `members`: those with timelines in memory. */
export type Sizes = { members: number; actors: number; follows: number }

type Limits = Pick<Config, 'memoryMb' | 'serveThreads' | 'answerCacheMb'>

const MB = 1e6
const KIB_PER_MB = 1_024
/** Per database connection. */
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

/** KiB of database pages cached by each connection: the writer's, and one per serving thread. */
export function pageCacheKib({ memoryMb, serveThreads }: Limits): number {
  const { most, least, share } = PAGES_MB
  const each = memoryMb === 0 ? most : (memoryMb * share) / (1 + serveThreads)
  return Math.floor(Math.min(most, Math.max(least, each)) * KIB_PER_MB)
}

/**
 * Bytes of answers cached by each serving thread. `missing`: the bytes by which the total exceeds
 * its limit.
 */
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
