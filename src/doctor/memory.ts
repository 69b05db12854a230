// Whether the memory of this machine, or of its container, is enough for what is stored. The units are
// those of docs/COST.md (docs/figures.json), taken times what its own check measured above the model.

import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { countActors } from '../store/actors.ts'
import { countFollows } from '../store/counts.ts'
import { FILE_NAME, openReader } from '../store/db.ts'
import { countMembers } from '../store/members.ts'
import { gigabytes } from './disk.ts'
import { type Finding, good, notice, wrong } from './finding.ts'
import { type Patient, runningServer } from './patient.ts'

/** `memory.empty.rss_mb`, `graph.bytes_per_edge`; accounts and timelines as in `cost.1e4.ram.*`. */
export const UNITS = {
  emptyBytes: 220e6,
  bytesPerEdge: 10.85,
  bytesPerAccount: 39.4,
  bytesPerTimelineItem: 19.84,
  /** `cost.check.ram.ratio` */
  measuredOverModel: 1.45,
}
/** So much of the caches is filled sooner or later. */
const MB = 1e6
const ENOUGH_SHARE = 0.8

type Sizes = { members: number; actors: number; follows: number }
type Limits = Pick<Config, 'timelineLength' | 'serveThreads' | 'answerCacheMb'>

export function checkMemory(patient: Patient): Finding[] {
  const { config } = patient
  const sizes = readSizes(patient)
  const needed = neededBytes(sizes, config)
  const measured = runningServer(patient)?.status.ingest?.pulse.memoryBytes
  return [
    aboutMemory({ needed: Math.max(needed, measured ?? 0), available: availableBytes() }, sizes),
  ]
}

export function neededBytes({ members, actors, follows }: Sizes, limits: Limits): number {
  const held =
    UNITS.emptyBytes +
    follows * UNITS.bytesPerEdge +
    actors * UNITS.bytesPerAccount +
    members * limits.timelineLength * UNITS.bytesPerTimelineItem
  return held * UNITS.measuredOverModel + limits.serveThreads * limits.answerCacheMb * MB
}

export function aboutMemory(
  { needed, available }: { needed: number; available: number },
  { members, follows }: Sizes,
): Finding {
  const what = `${members} members and ${follows} follows take about ${gigabytes(needed)}; there are ${gigabytes(available)}`
  const fix =
    'Give it more memory, or lower SLIPSTREAM_TIMELINE_LENGTH, SLIPSTREAM_TIMELINE_IDLE_DAYS or SLIPSTREAM_ANSWER_CACHE_MB.'
  if (needed > available) return wrong(what, fix)
  return needed > available * ENOUGH_SHARE ? notice(what, fix) : good(what)
}

/** Of a container, what it may use. */
function availableBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

function readSizes(patient: Patient): Sizes {
  const { dataDir } = patient.config
  const facts = runningServer(patient)?.status.facts
  if (facts) return facts
  if (!existsSync(join(dataDir, FILE_NAME))) return { members: 0, actors: 0, follows: 0 }
  const db = openReader(dataDir)
  try {
    return { members: countMembers(db), actors: countActors(db), follows: countFollows(db) }
  } finally {
    db.close()
  }
}
