// From compressed frames in memory to applied state: decompress, check or parse, batch, one SQLite
// transaction per batch into a real file, publish memory. The path is the consumer's own (session, decoder,
// batcher) without the socket. The stream has the mix and sizes of the public one (network-stream.ts),
// compressed with the real dictionary if ../shared has it, else with the test double's.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFrameDecoder, defaultLimits, type StreamItem } from '@slipstream/jetstream'
import { createDecompressor, type Dictionary, readDictionary } from '@slipstream/zstd-dictionary'
import { pino } from 'pino'
import { createBatcher } from '../packages/jetstream/src/batcher.ts'
import { createSession } from '../packages/jetstream/src/connection/session.ts'
import { createPosition } from '../packages/jetstream/src/position.ts'
import { collections } from '../src/base/atproto/collections.ts'
import { openWriter } from '../src/data/store/db.ts'
import { applyBatch } from '../src/ingest/indexing/apply-batch.ts'
import type { IndexScope } from '../src/ingest/indexing/index-context.ts'
import { memberSeen } from '../src/ingest/indexing/members/members.ts'
import { openTimeline } from '../src/ingest/indexing/memory/open-timeline.ts'
import { createWriter } from '../src/ingest/indexing/writer.ts'
import { startCheckpoints } from '../src/ingest/upkeep/disk/checkpoints.ts'
import {
  compressFrame,
  fixtureDictionaryPath,
} from '../test/support/jetstream-double/dictionaries.ts'
import { frameV2, type LoggedEmission } from '../test/support/jetstream-double/emission.ts'
import { createMemoryParts } from '../test/support/memory-parts.ts'
import {
  anyAccount,
  createNetworkStream,
  type NetworkStream,
} from '../test/support/network-stream.ts'
import { createRandom } from '../test/support/random.ts'
import type { BenchResult } from './runner/result.ts'

const REAL_DICTIONARY = join(import.meta.dirname, '../../shared/data/jetstream/v2-20260811.zdict')
const log = pino({ enabled: false })
const HOST = 'wss://bench'
const START_MS = Date.parse('2026-11-01T12:00:00.000Z')
const NOW_MS = START_MS + 86_400_000
const ACCOUNTS = 5_500_000
const MEMBERS = 100
/** Members take half of their follows from a niche of this many accounts. */
const NICHE = 20_000
const { maxFrameBytes, maxBatchEvents, maxBatchBytes } = defaultLimits
/** As many frames as one socket read delivers. */
const FRAMES_A_READ = 256
const FILL_BATCH = 5_000

type Measurement = {
  name: string
  scope: IndexScope
  dictionary: Dictionary
  frames: number
  /** Numbers of events after which it is measured. */
  filled: readonly number[]
  followsEach?: number
}

/**
 * In `community` scope a hundred members follow a thousand accounts each; `network` keeps
 * everything, and is measured again as the database grows. `share_of_bare_decode_and_parse` is
 * relative to only decompressing and JSON.parse, on the same frames in the same process. Since
 * other work may share the machine, rates are per second of processor time of the thread that does
 * all of this, excluding the one that checkpoints; `wall_events_per_s` is wall-clock.
 */
export async function bench({ full }: { full: boolean }): Promise<BenchResult[]> {
  const dictionary = readDictionary(readFileSync(dictionaryPath()))
  const frames = full ? 200_000 : 40_000
  const filled = full ? [0, 1_000_000, 4_000_000, 16_000_000] : [0, 300_000]
  const community = { scope: 'community', dictionary, frames: 120_000, filled: [0] } as const
  return [
    ...(await measure({ ...community, name: 'ingest.community', followsEach: 100 })),
    ...(await measure({ ...community, name: 'ingest.community.wide', followsEach: 1_000 })),
    ...(await measure({ name: 'ingest.network', scope: 'network', dictionary, frames, filled })),
  ]
}

function dictionaryPath(): string {
  return existsSync(REAL_DICTIONARY) ? REAL_DICTIONARY : fixtureDictionaryPath('v2')
}

async function measure(options: Measurement): Promise<BenchResult[]> {
  const { name, scope, dictionary, frames, filled, followsEach = 0 } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const stream = createNetworkStream({ seed: 7, accounts: ACCOUNTS, startMs: START_MS })
  const state = createState(scope, dataDir)
  if (followsEach > 0) await admitMembers(state, stream, followsEach)
  const results: BenchResult[] = []
  const rates: Rates[] = []
  let applied = 0
  for (const events of filled) {
    for (; applied < events; applied += FILL_BATCH) {
      await state.apply(stream.take(FILL_BATCH))
    }
    const wire = compress(stream, dictionary, frames)
    const bare = await bareDecodeAndParse(wire, dictionary)
    const rate = await run(state, wire, dictionary, bare)
    rates.push(rate)
    applied += frames
    const bytes = statSync(join(dataDir, 'slipstream.sqlite')).size
    results.push(...figuresOf(`${name}.after_${events}`, { ...rate, bytes }))
  }
  const slowest = rates.reduce((a, b) => (a.perSecond < b.perSecond ? a : b))
  await state.close()
  rmSync(dataDir, { recursive: true, force: true })
  return [...figuresOf(name, slowest), ...(filled.length > 1 ? results : [])]
}

type Rates = {
  perSecond: number
  wallPerSecond: number
  share: number
  kept: number
  longestMs: number
  p99Ms: number
  bytes?: number
}

function figuresOf(name: string, rates: Rates): BenchResult[] {
  const { perSecond, wallPerSecond, share, kept: retained, longestMs, p99Ms, bytes } = rates
  return [
    { name: `${name}.events_per_s`, value: perSecond, unit: 'events/s' },
    { name: `${name}.wall_events_per_s`, value: wallPerSecond, unit: 'events/s' },
    { name: `${name}.share_of_bare_decode_and_parse`, value: share, unit: 'of 1' },
    { name: `${name}.kept_share`, value: retained, unit: 'of 1' },
    { name: `${name}.batch_p99_ms`, value: p99Ms, unit: 'ms' },
    { name: `${name}.batch_longest_ms`, value: longestMs, unit: 'ms' },
    ...(bytes === undefined ? [] : [{ name: `${name}.file_bytes`, value: bytes, unit: 'B' }]),
  ]
}

function createState(scope: IndexScope, dataDir: string) {
  const db = openWriter(dataDir)
  const memory = createMemoryParts({
    timelineLength: 1000,
    reasonableLimit: 2000,
    celebrityThreshold: 10_000,
  })
  const { actors } = memory
  const checkpoints = startCheckpoints({ db, log })
  const writer = createWriter({ db, memory, scope, now: () => NOW_MS })
  let seq = 0

  async function apply(events: StreamItem[]): Promise<number> {
    const cursor = { host: HOST, wire: 'v2', seq: ++seq, timeUs: events.at(-1)!.timeUs } as const
    const { applied } = writer.commit((ctx) => applyBatch(ctx, { events, cursor }))
    await checkpoints.tend()
    return applied
  }

  function admit(did: string): void {
    writer.commit((ctx) => memberSeen(ctx, did, NOW_MS))
    openTimeline(db, memory, actors.uidOf(did), NOW_MS)
  }

  async function close(): Promise<void> {
    await checkpoints.stop()
    db.close()
  }

  return { scope, db, apply, admit, close }
}

type State = ReturnType<typeof createState>

/** Authors follow strangers, which makes these known accounts. */
async function admitMembers(
  state: State,
  stream: NetworkStream,
  followsEach: number,
): Promise<void> {
  const random = createRandom(11)
  const someone = () => anyAccount(random, ACCOUNTS)
  const neighbour = () => ACCOUNTS / 2 + random.below(NICHE)
  const member = (i: number) => ACCOUNTS / 2 + i
  const follow = (creator: () => number, subject: () => number) =>
    Array.from({ length: followsEach }, () => stream.follow(creator(), subject()))
  for (let i = 0; i < MEMBERS; i++) state.admit(stream.didOf(member(i)))
  for (let i = 0; i < MEMBERS; i++) {
    const either = () => (random.chance(0.5) ? someone() : neighbour())
    await state.apply(follow(() => member(i), either))
    await state.apply(follow(neighbour, someone))
  }
}

function compress(stream: NetworkStream, dictionary: Dictionary, count: number): Buffer[] {
  return Array.from({ length: count }, () =>
    compressFrame(dictionary, frameV2(stream.next() as LoggedEmission)),
  )
}

/** Microseconds of processor time per frame, best of several rounds. */
async function bareDecodeAndParse(frames: Buffer[], dictionary: Dictionary): Promise<number> {
  const decompressor = await createDecompressor(dictionary, maxFrameBytes)
  let best = Infinity
  for (let round = 0; round < 3; round++) {
    const before = process.threadCpuUsage()
    for (const frame of frames) JSON.parse(decompressor.decompress(frame).toString())
    best = Math.min(best, cpuSince(before) / frames.length)
  }
  decompressor.dispose()
  return best
}

async function run(
  state: State,
  frames: Buffer[],
  dictionary: Dictionary,
  bareUs: number,
): Promise<Rates> {
  const times: number[] = []
  let retained = 0
  const feed = await createFeed(dictionary, state.scope, async (items) => {
    const startedAt = performance.now()
    retained += await state.apply(items)
    times.push(performance.now() - startedAt)
  })
  // The first run's machine code differs from the hundredth's.
  const warm = Math.floor(frames.length / 4)
  await feed.push(frames.slice(0, warm))
  times.length = 0
  retained = 0
  const startedAt = performance.now()
  const before = process.threadCpuUsage()
  await feed.push(frames.slice(warm))
  const cpuUs = cpuSince(before)
  const wallMs = performance.now() - startedAt
  feed.dispose()
  const count = frames.length - warm
  times.sort((a, b) => a - b)
  return {
    perSecond: (count * 1e6) / cpuUs,
    wallPerSecond: (count * 1000) / wallMs,
    share: bareUs / (cpuUs / count),
    kept: retained / count,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
    longestMs: times.at(-1)!,
  }
}

/** Everything between socket and indexer, assembled as the consumer does. */
async function createFeed(
  dictionary: Dictionary,
  scope: IndexScope,
  apply: (items: StreamItem[]) => Promise<void>,
) {
  const decompressor = await createDecompressor(dictionary, maxFrameBytes)
  const position = createPosition(undefined, () => NOW_MS)
  let applied = 0
  let diskSpace = Promise.resolve()
  let freeSpace = () => {}
  const batcher = createBatcher({
    maxEvents: () => maxBatchEvents,
    maxBytes: maxBatchBytes,
    onRest() {},
    now: () => NOW_MS,
    cursor: () => position.current()!,
    apply: async ({ events }) => {
      await apply(events)
      applied += events.length
    },
    onFull: () => {
      diskSpace = new Promise((resolve) => {
        freeSpace = resolve
      })
    },
    onSpace: () => freeSpace(),
  })
  const unread = scope === 'network' ? [] : collections
  const session = createSession({
    host: HOST,
    wire: 'v2',
    resume: { cursor: undefined, seq: undefined },
    dueBy: undefined,
    decoder: createFrameDecoder({ wire: 'v2', decompressor, maxFrameBytes, unread }),
    dictionaryId: dictionary.id,
    dids: undefined,
    position,
    onEvent: (event, bytes) => {
      position.advance(HOST, 'v2', event)
      batcher.add(event, bytes)
    },
    onDrop: (reason) => {
      throw new Error(`a frame was dropped: ${reason}`)
    },
    onBroken: () => {},
    onNotice: () => {},
    onDoubt: () => {},
    log,
  })

  async function push(frames: Buffer[]): Promise<void> {
    const until = applied + frames.length
    for (let at = 0; at < frames.length; at += FRAMES_A_READ) {
      for (const frame of frames.slice(at, at + FRAMES_A_READ)) session.onFrame(frame, true)
      await diskSpace
      // A socket yields to other tasks only so often; the batcher is one of them.
      if ((at / FRAMES_A_READ) % 4 === 3) await new Promise((resolve) => setImmediate(resolve))
    }
    while (applied < until) await new Promise((resolve) => setImmediate(resolve))
  }

  return { push, dispose: () => decompressor.dispose() }
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}
