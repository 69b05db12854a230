// A server's memory use, and how SLIPSTREAM_MEMORY_MB is divided: stored data takes what it needs, database
// pages get a share of the whole, and the answer caches get the rest. Without it, a small machine is divided
// as if a part of its memory had been set. The units are those of docs/COST.md (docs/figures.json), scaled by
// the excess over the model that its own check measured.

import { memoryOfMachine } from '../util/machine-memory.ts'
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
/** A VPS of 1 GB also has a system, and perhaps a PDS; on one larger than 2 GiB caches need no limit. */
const SMALL_MACHINE = { upToMb: 2_150, share: 0.4 }

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

/**
 * KiB of database pages cached by each connection: the writer's, and one per serving thread.
 * @param machineMb - memory of the machine or container
 */
export function pageCacheKib(
  { memoryMb, serveThreads }: Pick<Limits, 'memoryMb' | 'serveThreads'>,
  machineMb = memoryOfMachine() / MB,
): number {
  const { most, least, share } = PAGES_MB
  const totalMb = memoryMb || shareOf(machineMb)
  const each = totalMb === 0 ? most : (totalMb * share) / (1 + serveThreads)
  return Math.floor(Math.min(most, Math.max(least, each)) * KIB_PER_MB)
}

/**
 * Bytes of answers cached by each serving thread. `missing`: the bytes by which the total exceeds
 * SLIPSTREAM_MEMORY_MB.
 */
export function answerCacheBytes(
  sizes: Sizes,
  limits: Limits & Pick<Config, 'timelineLength'>,
  machineMb = memoryOfMachine() / MB,
): { bytes: number; missing: number } {
  const { memoryMb, serveThreads, answerCacheMb } = limits
  const most = answerCacheMb * MB
  const totalMb = memoryMb || shareOf(machineMb)
  if (totalMb === 0) return { bytes: most, missing: 0 }
  const taken = UNITS.emptyBytes + storedBytes(sizes, limits) * UNITS.measuredOverModel
  const left = (totalMb * MB - taken) / serveThreads
  const least = Math.min(most, LEAST_ANSWERS_MB * MB)
  const bytes = Math.min(most, Math.max(least, left))
  return { bytes, missing: memoryMb === 0 ? 0 : Math.max(0, (bytes - left) * serveThreads) }
}

/** 0: no limit. */
function shareOf(machineMb: number): number {
  return machineMb > SMALL_MACHINE.upToMb ? 0 : machineMb * SMALL_MACHINE.share
}
