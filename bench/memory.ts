// What an instance in community scope holds in memory and spends on the live stream: 100 members with 1,000
// follows each, the follow lists of all accounts they follow, and the state left by a stream of the network's
// mix. Slipstream then runs on it and catches up with more of the stream at full speed while every member's
// timeline is read.

import { setTimeout as pause } from 'node:timers/promises'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import type { CommunitySize } from './world/community-world.ts'
import { atRate, type LiveCommunity, startLiveCommunity } from './world/live-community.ts'
import { makeReady } from './world/ready-events.ts'
import { caughtUp, searchable } from './world/settled.ts'

const RATE = 600
const SETTLE_MS = 3_000

const shared = { members: 100, followsEach: 1_000, accounts: 5_500_000 }
const small: CommunitySize = { ...shared, listMean: 2, events: 20_000 }
const large: CommunitySize = { ...shared, listMean: 150, events: 4_000_000 }

/**
 * Resident memory is as the operating system reports it; `file` is file pages that the kernel may
 * reclaim, mostly the mapped database. The figures state what was simulated:
 * `memory.simulated_events` of the 51 million that 36 hours bring at 392 per second.
 * `cpu.at_600_per_s` is the whole process at 600 events per second, once the search index has
 * processed the older records. With `--full`, `memory.rss_mb` is after two minutes of this: threads
 * give memory back after a quiet minute.
 */
export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const size = full ? large : small
  const live = full
    ? { poured: 300_000, seconds: 30, settles: 90 }
    : { poured: 10_000, seconds: 10, settles: 0 }
  const community = await startLiveCommunity({ ...size, retain: live.poured * 2 })
  const { app, world, double, next } = community
  const fileMb = community.fileBytes() / 2 ** 20
  const atStart = app.resident()
  for (let round = 0; round < 2; round++) {
    for (const did of world.members) await community.readTimeline(did)
  }
  const whenRead = app.resident()
  makeReady(double, Array.from({ length: live.poured }, next))()
  await caughtUp(app, live.poured)
  await pause(SETTLE_MS)
  await searchable(community.dataDir)
  const caughtUpAt = app.resident()
  const percent = await cpuAtRate(community, live.seconds)
  const afterwards = app.resident()
  await stream(community, live.settles)
  const resident = app.resident()
  const heaps = await app.heaps()
  const jobs = (await app.health()).ingest?.jobs ?? 0
  await community.stop()
  return [
    mb('memory.rss_mb', resident.total),
    mb('memory.anonymous', resident.anonymous),
    mb('memory.file', resident.file),
    mb('memory.peak', resident.peak),
    mb('memory.at_start', atStart.total),
    mb('memory.with_timelines', whenRead.total),
    mb('memory.after_catching_up', caughtUpAt.total),
    mb('memory.beside_the_stream', afterwards.total),
    ...heaps.flatMap(({ thread, used, committed }) => [
      mb(`memory.heap.${thread}.used`, used),
      mb(`memory.heap.${thread}.committed`, committed),
    ]),
    mb('memory.database_file', fileMb),
    count('memory.authors', world.authors, 'accounts'),
    count('memory.edges', world.edges, 'follows'),
    count('memory.simulated_events', size.events + live.poured, 'events'),
    count('memory.kept_events', world.kept, 'events'),
    count('memory.jobs_waiting', jobs, 'jobs'),
    count('cpu.at_600_per_s.percent', percent, '% of a core'),
  ]
}

/** The process's processor time in percent of one core. */
async function cpuAtRate(community: LiveCommunity, seconds: number): Promise<number> {
  const { app } = community
  const [startedAt, before] = [performance.now(), app.cpu().total]
  await stream(community, seconds)
  const wallSeconds = (performance.now() - startedAt) / 1000
  return ((app.cpu().total - before) / wallSeconds) * 100
}

/** What the network sends, at its rate. */
function stream({ double, next }: LiveCommunity, seconds: number): Promise<void> {
  return atRate({ perSecond: RATE, seconds }, () => double.emit(next()))
}

function mb(name: string, value: number): BenchResult {
  return { name, value, unit: 'MB' }
}

function count(name: string, value: number, unit: string): BenchResult {
  return { name, value, unit }
}
