// What labelers can do to a server that connects to them, and which clients can make us connect: over real
// sockets, with real signatures and a real database. Bytes, rows, connections and lookups are counted, never
// time.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MINUTE_MS } from '../../../src/base/util/durations.ts'
import { allLabelers, quarantinedLabelers } from '../../../src/data/store/moderation/labelers.ts'
import { createLabels, type Labels } from '../../../src/ingest/labels/labels.ts'
import type { LabelLimits } from '../../../src/ingest/labels/labels-context.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createGuardedLookup } from '../../../src/sources/identity/guarded-lookup.ts'
import { createResolver } from '../../../src/sources/identity/resolver.ts'
import { until } from '../../support/eventually.ts'
import { frame, type LabelerDouble, startLabelerDouble } from '../../support/labeler-double.ts'
import { mutated } from '../../support/mutated.ts'
import { type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const SEED = testSeed('odd frames')
const TIMELINE = 'app.bsky.feed.getTimeline'

let plc: PlcDouble
let world: ServingWorld
let diskSpace: Labels | undefined
let ahead = 0
const closing: (() => unknown)[] = []

beforeEach(async () => {
  ahead = 0
  plc = await startPlcDouble()
  world = createServingWorld({
    members: ['alice', 'bob', 'carol', 'dan'],
    labelers: [],
    labelCapacity: () => diskSpace,
    startAt: Date.now(),
  })
})
afterEach(async () => {
  await diskSpace?.stop()
  diskSpace = undefined
  for (const close of closing.splice(0)) await close()
  world.dispose()
  await plc.close()
})

const now = () => Date.now() + ahead

async function labeler(name: string): Promise<LabelerDouble> {
  const made = await startLabelerDouble(plc, `${name}.test`)
  closing.push(() => made.close())
  return made
}

function openSpace(
  configured: string[] = [],
  limits: Partial<LabelLimits> = {},
  onDropped: (reason: string) => void = () => undefined,
) {
  const dropped: Record<string, number> = {}
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const made = createLabels({
    db: world.db,
    actors: world.actors,
    writer: world.writer,
    fetch,
    now,
    configured,
    resolver: createResolver({ fetch, plcUrl: plc.url, allowPrivateHosts: true, now }),
    lookupFor: createGuardedLookup({ allowPrivateHosts: true }),
    log: { debug() {} },
    onWork: () => undefined,
    onDropped: (reason) => {
      dropped[reason] = (dropped[reason] ?? 0) + 1
      onDropped(reason)
    },
    limits: { retryMs: 10, maxRetryMs: 20, gatherMs: 5, ...limits },
  })
  diskSpace = made
  made.start()
  return dropped
}

const connected = (labeler: LabelerDouble, times = 1) =>
  until(() => labeler.connections.length >= times)
const quarantined = () => quarantinedLabelers(world.db, now())
const inQuarantine = () => until(() => quarantined().length > 0)
const rows = () => world.db.prepare<[], number>('SELECT count(*) FROM labels').pluck().get()!

/** Sends a well-behaved labeler's label, which must arrive whatever the others do. */
async function getsThrough(labeler: LabelerDouble): Promise<void> {
  const uri = world.account('bob')
  const found = world.db
    .prepare<[string], number>('SELECT count(*) FROM labels WHERE val = ?')
    .pluck()
  const val = `word-${labeler.connections.length}-${found.get('none')!}`
  await labeler.say({ uri, val })
  await until(() => found.get(val)! > 0)
}

describe('ends and quarantines a stream for', () => {
  const nested = Buffer.alloc(1 << 19, 0x81)
  const maps = Buffer.concat([Buffer.from([0x9a, 0, 8, 0, 0]), Buffer.alloc(1 << 19, 0xa0)])
  const label = { ver: 1, src: 'did:plc:x', uri: 'did:plc:x', val: 'x', cts: 'x' }
  test.each([
    ['endlessly nested values', nested, /bomb/],
    ['half a million empty values', maps, /bomb/],
    [
      'more labels in a frame than allowed',
      frame({ op: 1, t: '#labels' }, { seq: 1, labels: Array(1_001).fill(label) }),
      /more than 1000 labels/,
    ],
  ])('%s', async (_what, bytes, reason) => {
    const [hostile, good] = [await labeler('hostile'), await labeler('good')]
    openSpace([hostile.did, good.did])
    await Promise.all([connected(hostile), connected(good)])
    hostile.send(bytes)
    await inQuarantine()
    expect(quarantined()).toMatchObject([
      { did: hostile.did, reason: expect.stringMatching(reason), strikes: 1 },
    ])
    await getsThrough(good)
    expect(hostile.connections).toHaveLength(1)
  })

  test('a frame of 16.8 MB, as soon as its header announces it', async () => {
    const [hostile, good] = [await labeler('hostile'), await labeler('good')]
    openSpace([hostile.did, good.did])
    await Promise.all([connected(hostile), connected(good)])
    // Sockets buffer some of it before the sender learns that the read has stopped.
    expect(await hostile.sendInPieces(16_800_000)).toBeLessThan(16_800_000 / 2)
    await inQuarantine()
    expect(quarantined()).toMatchObject([{ did: hostile.did, strikes: 1 }])
    expect(quarantined()[0]!.reason).toMatch(/longer than 1048576/)
    await getsThrough(good)
    expect(hostile.connections).toHaveLength(1)
  })

  const pong = Buffer.from([0x8a, 0])
  const piece = Buffer.from([0x00, 1, 0x61])
  test.each([
    ['endless pings and pongs', Buffer.concat(Array(2_000).fill(pong)), /pings or pongs/],
    [
      'a frame in twenty thousand pieces',
      Buffer.concat([Buffer.from([0x02, 1, 0x61]), ...Array(20_000).fill(piece)]),
      /too many pieces/,
    ],
  ])('%s', async (_what, bytes, reason) => {
    const [hostile, good] = [await labeler('hostile'), await labeler('good')]
    openSpace([hostile.did, good.did])
    await Promise.all([connected(hostile), connected(good)])
    const ended = hostile.sendRaw(bytes)
    await inQuarantine()
    expect(quarantined()).toMatchObject([
      { did: hostile.did, reason: expect.stringMatching(reason) },
    ])
    // The rest is not read, not even to be discarded.
    await ended
    await getsThrough(good)
    expect(hostile.connections).toHaveLength(1)
  })

  test('any failure in reading it, including unforeseen errors', async () => {
    const [hostile, good] = [await labeler('hostile'), await labeler('good')]
    const dropped = openSpace([hostile.did, good.did], {}, (reason) => {
      if (reason === 'unsigned') throw new TypeError('unexpected failure')
    })
    await Promise.all([connected(hostile), connected(good)])
    await hostile.say({ uri: world.account('bob'), val: 'x' }, { forged: true })
    await inQuarantine()
    expect(quarantined()).toMatchObject([
      { did: hostile.did, reason: 'a frame could not be read', strikes: 1 },
    ])
    expect(dropped).toMatchObject({ unforeseen: 1 })
    await getsThrough(good)
  })

  test('no orderly close, whatever it says', async () => {
    const [odd, good] = [await labeler('odd'), await labeler('good')]
    openSpace([odd.did, good.did])
    await Promise.all([connected(odd), connected(good)])
    odd.send(frame({ op: -1 }, { error: { toString: 1 } }))
    await connected(odd, 2)
    odd.send(frame({ op: -1 }, { error: 'ConsumerTooSlow', message: { valueOf: [] } }))
    odd.hangUp(1008)
    await connected(odd, 3)
    expect(quarantined()).toEqual([])
    await getsThrough(odd)
    await getsThrough(good)
  })

  test('repeated violations, longer each time, across restarts, until clean for a while', async () => {
    const hostile = await labeler('hostile')
    const limits = { quarantineMs: 10 * MINUTE_MS, cleanAfterMs: 50 }
    const waits = []
    for (let strike = 1; strike <= 3; strike++) {
      openSpace([hostile.did], { ...limits, cleanAfterMs: MINUTE_MS })
      await connected(hostile, strike)
      hostile.send(nested)
      await inQuarantine()
      const [{ until, strikes }] = quarantined() as [ReturnType<typeof quarantined>[number]]
      waits.push([strikes, Math.round((until - now()) / MINUTE_MS)])
      await diskSpace!.stop()
      openSpace([hostile.did], limits)
      ahead = until - Date.now() + 1
      await diskSpace!.stop()
    }
    expect(waits).toEqual([
      [1, 10],
      [2, 40],
      [3, 160],
    ])
    expect(hostile.connections).toHaveLength(3)
    openSpace([hostile.did], limits)
    await connected(hostile, 4)
    await until(() => allLabelers(world.db)[0]!.strikes === 0)
  })
})

test(`randomly mutated frames do no harm (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const [odd, good] = [await labeler('odd'), await labeler('good')]
  const dropped = openSpace([odd.did, good.did])
  await Promise.all([connected(odd), connected(good)])
  const label = { ver: 1, src: odd.did, uri: world.account('bob'), val: 'x', cts: 'x', sig: 'x' }
  for (let i = 1; i <= 500 && quarantined().length === 0; i++) {
    const cts = new Date(i * 1000).toISOString()
    const sig = Buffer.alloc(64, i)
    const labels = [{ ...label, cts, sig }]
    odd.send(mutated(frame({ op: 1, t: '#labels' }, { seq: i, labels }), random))
    if (i % 50 === 0) await getsThrough(good)
  }
  await until(() => Object.keys(dropped).length > 0 || quarantined().length > 0)
  expect(dropped['unforeseen']).toBeUndefined()
  await getsThrough(good)
})

describe('a stream that was open when the process died', () => {
  test('waits a while, and one that was closed in order does not', async () => {
    const item = await labeler('one')
    openSpace([item.did])
    await connected(item)
    const died = diskSpace!
    closing.push(() => died.stop())
    openSpace([item.did])
    expect(quarantined()).toMatchObject(
      [{ did: item.did, reason: /process ended/ }].map((row) => ({
        ...row,
        reason: expect.stringMatching(row.reason),
      })),
    )
    ahead = 2 * MINUTE_MS
    await diskSpace!.stop()
    openSpace([item.did])
    await connected(item, 2)
    await diskSpace!.stop()
    openSpace([item.did])
    await connected(item, 3)
    expect(quarantined()).toEqual([])
  })
})

describe('more data than is accepted', () => {
  test('endless frames wait at the labeler, and other labelers are still heard', async () => {
    const [flood, good] = [await labeler('flood'), await labeler('good')]
    openSpace([good.did], { bytesPerSecondTogether: 64 << 10, maxWaitingBytes: 64 << 10 })
    await world.ask(TIMELINE, {}, world.account('alice'), accept(flood.did))
    await world.ask(TIMELINE, {}, world.account('alice'), accept(flood.did))
    await Promise.all([connected(flood), connected(good)])
    const small = frame({ op: 1, t: '#info' }, { name: 'hello', message: 'x'.repeat(1_000) })
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 20_000; i++) flood.send(small)
    await getsThrough(good)
    const sent = 20_000 * small.length
    // Much of it is still there.
    expect(flood.waiting()).toBeGreaterThan(sent / 3)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(sent)
    await getsThrough(good)
    expect(flood.connections).toHaveLength(1)
  })

  test('limits the labels kept per labeler and per subject', async () => {
    const many = await labeler('many')
    const dropped = openSpace([], { maxStored: 40 })
    const alice = world.account('alice')
    const ask = () => world.ask(TIMELINE, {}, alice, accept(many.did))
    await ask()
    await connected(many)
    const posts = Array.from({ length: 60 }, () => world.post(alice).uri)
    for (let i = 0; i < 60; i++) await many.say({ uri: alice, val: `v${i}` }, { unheard: false })
    await until(() => dropped['too-many'] === 35)
    expect(rows()).toBe(25)
    for (const uri of posts) await many.say({ uri, val: 'x' })
    await until(() => dropped['too-many'] === 35 + 45)
    expect(rows()).toBe(40)
    expect(allLabelers(world.db)[0]!.kept).toBe(40)
  })
})

const accept = (...dids: string[]) => ({ 'atproto-accept-labelers': dids.join(',') })

describe('clients that can make us connect', () => {
  test('a visitor cannot', async () => {
    const item = await labeler('one')
    world.follow(world.account('alice'), item.did)
    openSpace()
    const hits = plc.hits(item.did)
    await world.ask('app.bsky.actor.getProfile', { actor: item.did }, undefined, accept(item.did))
    await world.ask(TIMELINE, {}, world.account('alice'), {})
    expect([plc.hits(item.did), item.connections.length]).toEqual([hits, 0])
  })

  test('a member can for a limited number of labelers, without delaying the next member', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, (_, i) => labeler(`l${i}`)))
    const dids = all.map(({ did }) => did)
    openSpace([], { maxLookedUpEach: 5, maxFollowedEach: 2 })
    const name = (who: string, ...named: string[]) =>
      world.ask(TIMELINE, {}, world.account(who), accept(...named))
    await name('alice', ...dids.slice(0, 7))
    await until(() => allLabelers(world.db).length === 5)
    const open = () => all.filter(({ connections }) => connections.length > 0).length
    await until(() => open() === 2)
    await name('bob', dids[7]!)
    await connected(all[7]!)
    expect(dids.map((did) => plc.hits(did) > 0)).toEqual([
      ...Array(5).fill(true),
      false,
      false,
      true,
    ])
    expect(open()).toBe(3)
  })

  test('a labeler unnamed for a long time is forgotten, with its labels', async () => {
    const item = await labeler('one')
    openSpace([], { forgottenAfterMs: 10 * MINUTE_MS })
    await world.ask(TIMELINE, {}, world.account('alice'), accept(item.did))
    await connected(item)
    await item.say({ uri: world.account('bob'), val: 'rude' })
    await until(() => rows() === 1)
    ahead = 20 * MINUTE_MS
    await diskSpace!.stop()
    vi.useFakeTimers({ toFake: ['setInterval'] })
    openSpace([], { forgottenAfterMs: 10 * MINUTE_MS })
    expect(allLabelers(world.db)).toEqual([])
    vi.advanceTimersByTime(MINUTE_MS)
    vi.useRealTimers()
    expect(rows()).toBe(0)
  })
})
