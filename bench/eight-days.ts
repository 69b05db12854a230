// Whether memory stays level over eight days of the network: an instance like that of memory.ts catches up with
// a day's events, dated as if they were spread over that day, every member reads, and so on for eight days. Each
// day is reported as it ends. `days.slope` is the least-squares line through all but the first two days, in
// which caches fill.

import { setTimeout as pause } from 'node:timers/promises'
import { DAY_MS } from '../src/base/util/durations.ts'
import type { Emission } from '../test/support/jetstream-double/emission.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { slope } from './support/slope.ts'
import { startLiveCommunity } from './world/live-community.ts'
import { makeReady } from './world/ready-events.ts'
import { caughtUp, searchable } from './world/settled.ts'

const DAYS = 8
const FILLING = 2
/** Until the heaps of what catching up needed are given back (base/util/unused-memory.ts). */
const SETTLE_MS = 15_000

const shared = { members: 100, followsEach: 1_000, accounts: 5_500_000 }
const small = { ...shared, listMean: 2, events: 20_000 }
/** The graph hardly grows in community scope, so it is small here. */
const large = { ...shared, listMean: 5, events: 200_000 }

/** `days.events`: in all, of the 270 million that eight days bring at 392 per second. */
export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const aDay = full ? 300_000 : 20_000
  const startMs = Date.now() - DAYS * DAY_MS
  const community = await startLiveCommunity({
    ...(full ? large : small),
    retain: aDay * 2,
    startMs,
  })
  const { app, world, double, next } = community
  const days: number[] = []
  const disk: number[] = []
  while (days.length < DAYS) {
    const fromMs = startMs + days.length * DAY_MS
    const events = Array.from({ length: aDay }, (_, i) => {
      return dated(next(), fromMs + (i / aDay) * DAY_MS)
    })
    makeReady(double, events)()
    await caughtUp(app, (days.length + 1) * aDay)
    for (const did of world.members) await community.readTimeline(did)
    await searchable(community.dataDir)
    await pause(SETTLE_MS)
    days.push(app.resident().total)
    disk.push(community.fileBytes() / 2 ** 20)
    console.error(JSON.stringify({ day: days.length, mb: days.at(-1), disk: disk.at(-1) }))
  }
  await community.stop()
  return [
    { name: 'days.first', value: days[0]!, unit: 'MB' },
    { name: 'days.last', value: days.at(-1)!, unit: 'MB' },
    { name: 'days.slope', value: slope(days.slice(FILLING)), unit: 'MB a day' },
    { name: 'days.disk.slope', value: slope(disk.slice(FILLING)), unit: 'MB a day' },
    { name: 'days.events', value: DAYS * aDay, unit: 'events' },
  ]
}

function dated(event: Emission, timeMs: number): Emission {
  const timeUs = Math.floor(timeMs * 1_000)
  if (!('record' in event) || !event.record) return { ...event, timeUs } as Emission
  const record = { ...event.record, createdAt: new Date(timeMs).toISOString() }
  return { ...event, timeUs, record } as Emission
}
