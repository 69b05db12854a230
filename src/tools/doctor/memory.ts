// Whether the memory of this machine, or of its container, is enough for what is stored. The units are
// those of docs/COST.md (docs/figures.json), taken times what its own check measured above the model.

import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { countActors } from '../../data/store/actors.ts'
import { countFollows } from '../../data/store/counts.ts'
import { FILE_NAME, openReader } from '../../data/store/db.ts'
import { countMembers } from '../../data/store/members.ts'
import { MEDIA_MEMORY_BYTES } from '../../http/media/process/media-process.ts'
import { type DoctorContext, runningServer } from './context.ts'
import { gigabytes } from './disk.ts'
import { type Finding, good, notice, wrong } from './finding.ts'
import { memoryLimitOf } from './memory-limit.ts'

/** `memory.empty.rss_mb`, `graph.bytes_per_edge`; accounts and timelines as in `cost.1e4.ram.*`. */
export const UNITS = {
  emptyBytes: 220e6,
  bytesPerEdge: 10.85,
  bytesPerAccount: 39.4,
  bytesPerTimelineItem: 19.84,
  /** `cost.check.ram.ratio` */
  measuredOverModel: 1.45,
}
const MB = 1e6
const ENOUGH_SHARE = 0.8

type Sizes = { members: number; actors: number; follows: number }
type Limits = Pick<
  Config,
  'timelineLength' | 'serveThreads' | 'answerCacheMb' | 'images' | 'videos'
>
const GIVE_MORE =
  'Give it more memory (MemoryMax= in the systemd unit, MEMORY_LIMIT for compose, or a bigger machine)'

export function checkMemory(doctor: DoctorContext): Finding[] {
  const { config } = doctor
  const sizes = readSizes(doctor)
  const server = runningServer(doctor)?.status
  const measured = server?.ingest?.pulse.memoryBytes ?? 0
  const needed = Math.max(neededBytes(sizes, config), measured + mediaBytes(config))
  const available = availableBytes(server && memoryLimitOf(server.pid))
  return [
    aboutMemory({ needed, available }, sizes),
    ...aboutSeats({ needed, available }, sizes, config),
  ]
}

/** What is let in must fit, too: where the limit is reached, the kernel ends the process. */
export function aboutSeats(
  { needed, available }: { needed: number; available: number },
  sizes: Sizes,
  config: Limits & Pick<Config, 'members' | 'maxMembers'>,
): Finding[] {
  const { members, maxMembers } = config
  const isOpen = members === 'open' || members.includes('invite')
  if (!isOpen || needed > available || maxMembers <= sizes.members) return []
  const all = neededBytes({ ...sizes, members: maxMembers }, config)
  if (all <= available) return []
  const text = `SLIPSTREAM_MAX_MEMBERS=${maxMembers} lets in too many: their timelines take ${gigabytes(all)}, and ${gigabytes(available)} are available`
  return [
    notice(text, `${GIVE_MORE}, or lower SLIPSTREAM_MAX_MEMBERS or SLIPSTREAM_TIMELINE_LENGTH.`),
  ]
}

/** What the processes may take that decode pictures. */
export function mediaBytes({
  images,
  videos,
  serveThreads,
}: Pick<Config, 'images' | 'videos' | 'serveThreads'>): number {
  return images === 'own' || videos !== 'cdn' ? serveThreads * MEDIA_MEMORY_BYTES : 0
}

export function neededBytes({ members, actors, follows }: Sizes, limits: Limits): number {
  const held =
    UNITS.emptyBytes +
    follows * UNITS.bytesPerEdge +
    actors * UNITS.bytesPerAccount +
    members * limits.timelineLength * UNITS.bytesPerTimelineItem
  const caches = limits.serveThreads * limits.answerCacheMb * MB
  return held * UNITS.measuredOverModel + caches + mediaBytes(limits)
}

export function aboutMemory(
  { needed, available }: { needed: number; available: number },
  { members, follows }: Sizes,
): Finding {
  const what = `${members} members and ${follows} follows take about ${gigabytes(needed)}; ${gigabytes(available)} are available`
  const fix = `${GIVE_MORE}, or lower SLIPSTREAM_TIMELINE_LENGTH, SLIPSTREAM_TIMELINE_IDLE_DAYS or SLIPSTREAM_ANSWER_CACHE_MB.`
  if (needed > available) return wrong(what, fix)
  return needed > available * ENOUGH_SHARE ? notice(what, fix) : good(what)
}

/** @param limit - the running server's; where none runs, this process's own is all that is known. */
function availableBytes(limit: number | undefined): number {
  const own = limit ?? process.constrainedMemory()
  return own > 0 ? Math.min(own, totalmem()) : totalmem()
}

function readSizes(doctor: DoctorContext): Sizes {
  const { dataDir } = doctor.config
  const facts = runningServer(doctor)?.status.facts
  if (facts) return facts
  if (!existsSync(join(dataDir, FILE_NAME))) return { members: 0, actors: 0, follows: 0 }
  const db = openReader(dataDir)
  try {
    return { members: countMembers(db), actors: countActors(db), follows: countFollows(db) }
  } finally {
    db.close()
  }
}
