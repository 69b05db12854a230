// Skipping work must change nothing: parsing every frame, and leaving frames unread where allowed, give the
// same database byte for byte, the same memory changes, counts, drops, cursors and gaps. Over random streams
// full of hostile JSON, with members joining, following and leaving, records fetched between batches, and
// over production's own events.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createFrameDecoder,
  type StreamCursor,
  type StreamGap,
  type StreamItem,
} from '@slipstream/jetstream'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../../../packages/jetstream/src/connection/session.ts'
import { createPosition } from '../../../../packages/jetstream/src/position.ts'
import { collections } from '../../../../src/base/atproto/collections.ts'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { applyBatch } from '../../../../src/ingest/indexing/apply-batch.ts'
import type { BatchOutcome } from '../../../../src/ingest/indexing/commit-sparing.ts'
import {
  type IndexContext,
  type IndexScope,
  internActor,
} from '../../../../src/ingest/indexing/index-context.ts'
import { memberSeen } from '../../../../src/ingest/indexing/members/members.ts'
import type { MemoryChange } from '../../../../src/ingest/indexing/memory/memory-changes.ts'
import { createWriter } from '../../../../src/ingest/indexing/writer.ts'
import { hostileFrame } from '../../../support/hostile-frames.ts'
import {
  frameV1,
  frameV2,
  type LoggedEmission,
} from '../../../support/jetstream-double/emission.ts'
import { createMemoryParts } from '../../../support/memory-parts.ts'
import { createNetworkStream, didOf } from '../../../support/network-stream.ts'
import { createRandom, type Random } from '../../../support/random.ts'

const SEED = Number(process.env['SEED'] ?? 2_611_071)
const FRAMES = 2_000
const START_MS = 1_770_000_000_000
const HOST = 'wss://host.test'
const log = pino({ enabled: false })
const now = () => START_MS + 3_600_000

type Wire = 'v1' | 'v2'
/** What happens to an account between two batches. */
type Between = { kind: 'member' | 'intern'; did: string }
type Batch = { frames: Buffer[]; after: Between[] }

type Replayed = {
  outcomes: Omit<BatchOutcome, 'changes'>[]
  changes: MemoryChange[]
  drops: Record<string, number>
  cursors: (StreamCursor | undefined)[]
  gaps: StreamGap[]
  rows: Record<string, unknown[]>
  bytes: Buffer
}

function replay(batches: Batch[], wire: Wire, scope: IndexScope, unread: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-unread-'))
  const db = openWriter(folder)
  const settings = { timelineLength: 100, reasonableLimit: 2000, celebrityThreshold: 10_000 }
  const memory = createMemoryParts(settings)
  const changes: MemoryChange[] = []
  const onPublished = (published: readonly MemoryChange[]) => void changes.push(...published)
  const writer = createWriter({ db, memory, scope, now, onPublished })
  const reading = startReading(wire, unread)
  const outcomes: Replayed['outcomes'] = []
  const cursors: Replayed['cursors'] = []
  for (const { frames, after } of batches) {
    for (const frame of frames) reading.session.onFrame(frame, false)
    // Arrived but not applied yet: now another writer commits.
    for (const between of after) writer.commit((ctx) => actBetween(ctx, between))
    const cursor = reading.position.current()
    cursors.push(cursor)
    const batch = { events: reading.takeEvents(), cursor, gaps: reading.gaps.slice(-1) }
    outcomes.push(writer.commit((ctx) => applyBatch(ctx, batch)))
  }
  const { drops, gaps } = reading
  const result: Replayed = { outcomes, changes, drops, cursors, gaps, ...contentOf(db) }
  db.close()
  rmSync(folder, { recursive: true, force: true })
  return { result, unreadCount: reading.unreadCount() }
}

/** A session that leaves frames of these collections unread, where it may. */
function startReading(wire: Wire, unread: readonly string[]) {
  const position = createPosition({ host: HOST, wire, seq: undefined, timeUs: 1 }, now)
  const drops: Record<string, number> = {}
  const gaps: StreamGap[] = []
  let events: StreamItem[] = []
  let unreadCount = 0
  const session = createSession({
    host: HOST,
    wire,
    resume: { cursor: undefined, seq: undefined },
    dueBy: undefined,
    decoder: createFrameDecoder({ wire, decompressor: undefined, maxFrameBytes: 1e6, unread }),
    dictionaryId: undefined,
    dids: undefined,
    position,
    onEvent: (event) => {
      const gap = position.closeGap(event)
      position.advance(HOST, wire, event)
      if (gap) gaps.push(gap)
      if (event.kind === 'unread') unreadCount++
      events.push(event)
    },
    onDrop: (reason) => {
      drops[reason] = (drops[reason] ?? 0) + 1
    },
    onBroken: () => {},
    onNotice: () => {},
    onDoubt: () => {},
    log,
  })
  const takeEvents = () => {
    const taken = events
    events = []
    return taken
  }
  return { session, position, drops, gaps, takeEvents, unreadCount: () => unreadCount }
}

function actBetween(ctx: IndexContext, { kind, did }: Between): void {
  if (kind === 'member') memberSeen(ctx, did, START_MS)
  else internActor(ctx, did)
}

function contentOf(db: WriteDb): Pick<Replayed, 'rows' | 'bytes'> {
  // Arrival times come from SQLite's own clock.
  db.exec('UPDATE arrivals SET at = 0')
  db.exec('UPDATE notifications SET arrived_at = 0')
  db.exec('UPDATE act_arrivals SET at = 0')
  db.exec('VACUUM')
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )
    .pluck()
    .all()
  const rows = Object.fromEntries(
    tables.map((name) => [name, db.prepare<[], unknown>(`SELECT * FROM "${name}"`).all()]),
  )
  return { rows, bytes: db.serialize() }
}

function randomBatches(random: Random, wire: Wire, accounts: number): Batch[] {
  const stream = createNetworkStream({ seed: SEED + accounts, accounts, startMs: START_MS })
  const texts: string[] = []
  const someone = () => random.below(accounts)
  while (texts.length < FRAMES) {
    // Members are the first few accounts; sometimes one follows an account.
    const isFollow = random.chance(0.02)
    const event = isFollow ? stream.follow(random.below(5), someone()) : stream.next()
    const logged = event as LoggedEmission
    texts.push(wire === 'v1' ? frameV1(logged, random.chance(0.5))! : frameV2(logged))
  }
  const batches: Batch[] = []
  while (texts.length > 0) {
    const frames = texts
      .splice(0, 1 + random.below(random.pick([3, 60, 400])))
      .map((text) => hostileFrame(text, random, 0.15))
    const after: Between[] = []
    if (batches.length < 5) after.push({ kind: 'member', did: didOf(batches.length) })
    if (random.chance(0.2)) after.push({ kind: 'intern', did: didOf(someone()) })
    if (random.chance(0.03)) after.push({ kind: 'member', did: didOf(someone()) })
    batches.push({ frames, after })
  }
  return batches
}

function expectSame(
  batches: Batch[],
  wire: Wire,
  scope: IndexScope,
): Replayed & { unread: number } {
  const full = replay(batches, wire, scope, [])
  const quick = replay(batches, wire, scope, collections)
  expect(full.unreadCount).toBe(0)
  const { bytes: fullBytes, ...expected } = full.result
  const { bytes, ...found } = quick.result
  expect(found).toEqual(expected)
  expect(bytes.equals(fullBytes)).toBe(true)
  return { ...quick.result, unread: quick.unreadCount }
}

const total = (outcomes: Replayed['outcomes'], of: (item: Replayed['outcomes'][0]) => number) =>
  outcomes.reduce((sum, value) => sum + of(value), 0)

describe('leaving commits unread changes nothing', () => {
  for (const scope of ['community', 'authors', 'network'] as const) {
    for (const wire of ['v1', 'v2'] as const) {
      it(`${scope}, ${wire}: rows, memory changes, counts, drops, cursors and gaps`, () => {
        for (const accounts of [30, 400, 20_000]) {
          const random = createRandom(SEED + accounts)
          const same = expectSame(randomBatches(random, wire, accounts), wire, scope)
          const hint = `seed ${SEED}, ${accounts} accounts`
          // Enough of each case for a meaningful comparison.
          expect(same.unread, hint).toBeGreaterThan(FRAMES / 2)
          expect(
            total(same.outcomes, ({ applied }) => applied),
            hint,
          ).toBeGreaterThan(20)
          expect(Object.keys(same.drops).length, hint).toBeGreaterThan(3)
          expect(same.gaps.length, hint).toBeGreaterThan(3)
          if (scope === 'network') continue
          const left = total(same.outcomes, ({ skipped }) => skipped['out-of-scope'] ?? 0)
          expect(left, hint).toBeGreaterThan(FRAMES / 100)
        }
      })
    }
  }
})

const FOLDER = join(import.meta.dirname, '../../../../../shared/data/jetstream')
const EVENTS = join(FOLDER, 'production-v1-2026-07-04.jsonl')
const isHere = existsSync(EVENTS)
if (!isHere) console.warn(`SKIPPED: production events are not in ${FOLDER}`)

describe.runIf(isHere)('production’s own events', () => {
  it('give the same result whichever of their accounts are members', () => {
    const lines = readFileSync(EVENTS, 'utf8').split('\n').filter(Boolean)
    const dids = [...new Set(lines.flatMap((line) => line.match(/did:plc:[a-z2-7]{24}/g) ?? []))]
    const random = createRandom(SEED)
    for (const scope of ['community', 'authors'] as const) {
      for (let round = 0; round < 12; round++) {
        const after = Array.from({ length: random.below(6) }, () => {
          return { kind: random.pick(['member', 'intern'] as const), did: random.pick(dids) }
        })
        const half = lines.length / 2
        const frames = lines.map((line) => Buffer.from(line))
        const batches = [
          { frames: frames.slice(0, half), after },
          { frames: frames.slice(half), after: [] },
        ]
        const same = expectSame(batches, 'v1', scope)
        expect(same.unread).toBeGreaterThan(120)
        expect(same.drops).toEqual({})
      }
    }
  })
})

it.skipIf(isHere)('production events are missing: see the warning above', () => {})
