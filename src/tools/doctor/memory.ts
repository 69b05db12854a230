// Checks whether the memory of this machine, its container or SLIPSTREAM_MEMORY_MB suffices for the stored
// data.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { answerCacheBytes, type Sizes, storedBytes, UNITS } from '../../base/config/memory.ts'
import { memoryOfMachine } from '../../base/util/machine-memory.ts'
import { countFollows } from '../../data/store/counts/counts.ts'
import { FILE_NAME, openReader } from '../../data/store/db.ts'
import { countMembers } from '../../data/store/members/members.ts'
import { countActors } from '../../data/store/records/actors.ts'
import { type DoctorContext, runningServer } from './context.ts'
import { gigabytes } from './disk.ts'
import { type Finding, good, notice, wrong } from './finding.ts'
import { memoryLimitOf } from './memory-limit.ts'

const MB = 1e6
const ENOUGH_SHARE = 0.8

type Limits = Pick<Config, 'timelineLength' | 'serveThreads' | 'answerCacheMb' | 'memoryMb'> & {
  /** Memory that features' processes may take besides the server. */
  processBytes: number
}
const GIVE_MORE =
  'Give it more memory (SLIPSTREAM_MEMORY_MB if set, MemoryMax= in the systemd unit, MEMORY_LIMIT for compose, or a bigger machine)'

export function checkMemory(doctor: DoctorContext): Finding[] {
  const { processBytes } = doctor
  const config = { ...doctor.config, processBytes }
  const sizes = readSizes(doctor)
  const server = runningServer(doctor)?.status
  const measured = server?.ingest?.pulse.memoryBytes ?? 0
  const needed = Math.max(neededBytes(sizes, config), measured + processBytes)
  const available = availableBytes(config, server && memoryLimitOf(server.pid))
  return [
    aboutMemory({ needed, available }, sizes),
    ...aboutSeats({ needed, available }, sizes, config),
  ]
}

/** Members yet to be admitted must fit, too: at the limit, the kernel kills the process. */
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
  const text = `SLIPSTREAM_MAX_MEMBERS=${maxMembers} admits too many: their timelines take ${gigabytes(all)}, and ${gigabytes(available)} are available`
  return [
    notice(text, `${GIVE_MORE}, or lower SLIPSTREAM_MAX_MEMBERS or SLIPSTREAM_TIMELINE_LENGTH.`),
  ]
}

export function neededBytes(sizes: Sizes, limits: Limits): number {
  const held = UNITS.emptyBytes + storedBytes(sizes, limits)
  const answers = limits.serveThreads * answerCacheBytes(sizes, limits).bytes
  return held * UNITS.measuredOverModel + answers + limits.processBytes
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

/** @param limit - the running server's; if none runs, only this process's own is known. */
function availableBytes(config: Limits, limit: number | undefined): number {
  const machine = memoryOfMachine(limit)
  if (config.memoryMb === 0) return machine
  return Math.min(machine, config.memoryMb * MB + config.processBytes)
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
