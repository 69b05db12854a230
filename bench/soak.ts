// An hour of the live stream at 600 events per second (three minutes without --full) with an active
// community, to find what drifts. The time is split into twelve parts, and each is reported as it ends:
// resident memory, the database's size, and the latency of timelines and of new posts. `….slope` is their
// least-squares line, per hour.

import { Histogram } from './load/histogram.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { slope } from './support/slope.ts'
import { atRate, type LiveCommunity, startLiveCommunity } from './world/live-community.ts'

const EVENTS_PER_SECOND = 600
const READS_PER_SECOND = 5
const PARTS = 12
const MIB = 2 ** 20

const shared = { members: 100, followsEach: 1_000, accounts: 5_500_000, retain: 100_000 }
const small = { ...shared, listMean: 2, events: 20_000 }
const large = { ...shared, listMean: 150, events: 1_000_000 }

type Part = Record<(typeof CACHED)[number], number>
const CACHED = ['anonymous_mb', 'file_mb', 'disk_mb', 'p50_ms', 'p99_ms', 'visible_p99_ms'] as const

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const community = await startLiveCommunity(full ? large : small)
  const seconds = (full ? 3_600 : 180) / PARTS
  const before = community.app.cpu().total
  const parts: Part[] = []
  while (parts.length < PARTS) {
    parts.push(await measurePart(community, seconds))
    console.error(JSON.stringify(parts.at(-1)))
  }
  const cpu = community.app.cpu().total - before
  await community.stop()
  const hours = (PARTS * seconds) / 3_600
  return [
    ...CACHED.flatMap((name) => drift(name, parts, hours)),
    { name: 'soak.hours', value: hours, unit: 'h' },
    { name: 'soak.cpu_percent', value: (cpu / (hours * 3_600)) * 100, unit: '% of a core' },
  ]
}

async function measurePart(community: LiveCommunity, seconds: number): Promise<Part> {
  const { app, double, world, next, readTimeline, fileBytes } = community
  const latency = new Histogram()
  const reading: Promise<void>[] = []
  const read = async () => {
    const startedAt = performance.now()
    await readTimeline(world.members[Math.floor(Math.random() * world.members.length)]!)
    latency.record((performance.now() - startedAt) * 1_000)
  }
  await Promise.all([
    atRate({ perSecond: EVENTS_PER_SECOND, seconds }, () => double.emit(next())),
    atRate({ perSecond: READS_PER_SECOND, seconds }, () => void reading.push(read())),
  ])
  await Promise.all(reading)
  const { anonymous, shared: published, file } = app.resident()
  const { p50, p99 } = latency.quantiles()
  return {
    anonymous_mb: anonymous + published,
    file_mb: file,
    disk_mb: fileBytes() / MIB,
    p50_ms: p50,
    p99_ms: p99,
    visible_p99_ms: (await app.health()).ingest?.visibleMs.p99 ?? 0,
  }
}

function drift(
  name: (typeof CACHED)[number],
  parts: readonly Part[],
  hours: number,
): BenchResult[] {
  const values = parts.map((part) => part[name])
  const unit = name.endsWith('_mb') ? 'MB' : 'ms'
  const figure = (kind: string, value: number, of = unit) => {
    return { name: `soak.${name}.${kind}`, value, unit: of }
  }
  return [
    figure('first', values[0]!),
    figure('last', values.at(-1)!),
    figure('slope', slope(values) * (values.length / hours), `${unit} an hour`),
  ]
}
