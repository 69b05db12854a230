// The serving process of the visibility benchmark: the real ingest thread, started as the app starts it, and
// in this thread a reader that polls one member's timeline every millisecond and looks up the row of each new
// item over its own connection. Reports when each item was first seen.

import { setTimeout as sleep } from 'node:timers/promises'
import { openTimelines } from '@slipstream/follow-graph'
import { type PackedRkey, unpackRkey } from '../../src/base/atproto/keys.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { openActorTable } from '../../src/data/graph/actor-table.ts'
import { openReader } from '../../src/data/store/db.ts'
import { startIngest } from '../../src/ingest/client.ts'
import { monotonicMs } from './clock.ts'

export type ReaderOrder = { env: Record<string, string>; member: string } | Stop

/** Stop once this many posts were seen, or after a timeout. */
type Stop = { stopAfter: number }

export type ReaderMessage =
  | { kind: 'ready' }
  /** Milliseconds of the machine's monotonic clock, by record key. */
  | { kind: 'seen'; seen: [rkey: string, atMs: number][] }

const POLL_MS = 1
const LOOKED_AT = 200
/** Items sent within one millisecond have no order, so a new one may follow known ones. */
const KNOWN_IN_A_ROW = 30
const MAX_WAIT_MS = 60_000

process.on('message', (order: ReaderOrder) => {
  if ('env' in order) void run(order)
})
process.on('disconnect', () => process.exit(0))

async function run({ env, member }: Exclude<ReaderOrder, Stop>): Promise<void> {
  const config = loadConfig(env, '/nonexistent/.env')
  const ingest = await startIngest({ config, onFatal: fail })
  const db = openReader(config.dataDir)
  const timelines = openTimelines(ingest.memory.timelines)
  await ingest.writer.send({ kind: 'member-seen', did: member })
  const uid = openActorTable(ingest.memory.actors).uidOf(member)
  const findKey = db
    .prepare<[number], PackedRkey>('SELECT rkey FROM posts WHERE id = ? AND state = 1')
    .pluck()
  const known = new Set<number>()
  const seen: [string, number][] = []

  const timer = setInterval(() => {
    let knownInARow = 0
    for (const { item } of timelines.read(uid, undefined, LOOKED_AT)?.entries ?? []) {
      if (known.has(item)) {
        if (++knownInARow === KNOWN_IN_A_ROW) break
        continue
      }
      knownInARow = 0
      const rkey = findKey.get(item >>> 1)
      // An item in memory before its row is readable would break an invariant; it does not count as
      // visible yet.
      if (rkey === undefined) continue
      known.add(item)
      seen.push([unpackRkey(rkey), monotonicMs()])
    }
  }, POLL_MS)

  process.on('message', async (order: ReaderOrder) => {
    if ('env' in order) return
    const giveUpAt = monotonicMs() + MAX_WAIT_MS
    while (seen.length < order.stopAfter && monotonicMs() < giveUpAt) await sleep(POLL_MS)
    clearInterval(timer)
    tell({ kind: 'seen', seen })
    db.close()
    await ingest.stop()
    process.disconnect()
  })
  while (!ingest.status()?.stream.connected) await sleep(50)
  tell({ kind: 'ready' })
}

function tell(message: ReaderMessage): void {
  process.send!(message)
}

function fail(error: unknown): never {
  console.error(error)
  process.exit(1)
}
