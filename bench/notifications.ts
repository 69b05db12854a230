// What it costs to collect notifications for all accounts (SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS): the same
// stream of the network's mix is applied alternately to two databases, one with notifications and one
// without, in one process. Reports the writing thread's processor time and the file's bytes per notification.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWriter } from '../src/data/store/db.ts'
import { copyLog } from '../src/data/store/files/checkpoint.ts'
import { fileSize } from '../src/data/store/files/file-size.ts'
import { applyBatch } from '../src/ingest/indexing/apply-batch.ts'
import { createWriter } from '../src/ingest/indexing/writer.ts'
import { createMemoryParts } from '../test/support/memory-parts.ts'
import { createNetworkStream } from '../test/support/network-stream.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'

const START_MS = Date.parse('2026-11-01T12:00:00.000Z')
const DAY_MS = 86_400_000
const BATCH = 2_000
const SIZES = { small: 200_000, full: 4_000_000 }
const ACCOUNTS = 5_500_000
const settings = { timelineLength: 1_000, reasonableLimit: 2_000, celebrityThreshold: 10_000 }

export async function bench({ full }: Pick<BenchOptions, 'full'>): Promise<BenchResult[]> {
  const events = full ? SIZES.full : SIZES.small
  const stream = createNetworkStream({ seed: 7, accounts: ACCOUNTS, startMs: START_MS })
  const [without, having] = [createSide(0), createSide(30)]
  try {
    for (let applied = 0; applied < events; applied += BATCH) {
      const batch = stream.take(BATCH)
      const sides = applied % (2 * BATCH) === 0 ? [without, having] : [having, without]
      for (const side of sides) side.apply(batch, applied >= events / 2)
    }
    const rows = having.rows()
    const measured = events / 2
    const bytes = having.bytes() - without.bytes()
    return [
      us('notifications.event.cpu_us.baseline', without.cpuUs() / measured),
      us('notifications.event.cpu_us', having.cpuUs() / measured),
      { name: 'notifications.rows', value: rows / events, unit: 'an event' },
      { name: 'notifications.row.bytes', value: bytes / rows, unit: 'B' },
    ]
  } finally {
    for (const side of [without, having]) side.close()
  }
}

function createSide(notificationDays: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-notifications-'))
  const db = openWriter(dataDir)
  const writer = createWriter({
    db,
    memory: createMemoryParts(settings),
    scope: 'network',
    notificationDays,
    now: () => START_MS + DAY_MS,
  })
  let cpuUs = 0
  let seq = 0
  return {
    apply(events: ReturnType<ReturnType<typeof createNetworkStream>['take']>, isCounted: boolean) {
      const timeUs = events.at(-1)!.timeUs
      const cursor = { host: 'wss://bench', wire: 'v2', seq: ++seq, timeUs } as const
      const before = process.threadCpuUsage()
      writer.commit((ctx) => applyBatch(ctx, { events, cursor }))
      copyLog(db)
      const { user, system } = process.threadCpuUsage(before)
      if (isCounted) cpuUs += user + system
    },
    cpuUs: () => cpuUs,
    rows: () => db.prepare('SELECT count(*) FROM notifications').pluck().get() as number,
    bytes: () => fileSize(db).live,
    close() {
      db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function us(name: string, value: number): BenchResult {
  return { name, value, unit: 'µs' }
}
