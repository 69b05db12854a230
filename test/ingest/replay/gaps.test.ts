// Stream gaps, made on purpose in the middle of a random history and closed by replays: the result equals an
// index that missed nothing.

import type { StreamEvent } from '@slipstream/jetstream'
import { afterEach, describe, expect, it } from 'vitest'
import { insertGap } from '../../../src/data/store/stream/gaps.ts'
import { canonicalRows } from '../../support/canonical-rows.ts'
import { type GapWorld, startGapWorld } from '../../support/gap-world.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomHistory } from '../../support/random-history.ts'
import { testSeed } from '../../support/seed.ts'
import type { RecordId } from '../../support/world.ts'

const MEMBERS = ['reader', 'person-0']
const PEOPLE = Array.from({ length: 9 }, (_, i) => `person-${i}`)
let scene: GapWorld

afterEach(() => scene.close())

/**
 * Makes a reader follow every account, so that all their records are kept, in any order of arrival.
 */
async function begin(options: Parameters<typeof startGapWorld>[0]): Promise<void> {
  scene = await startGapWorld(options)
  await scene.connect()
  const { oracle } = scene
  const follows = oracle.hold(() => {
    const reader = oracle.account('reader')
    for (const name of PEOPLE) oracle.follow(reader, oracle.account(name))
  })
  scene.emit(follows)
  await scene.caughtUp()
}

/** Acts in the oracle, not emitted by any host yet. */
function history(random: Random, count: number): StreamEvent[] {
  return randomHistory(scene.oracle, random, count).filter(
    // An away account's acts are compared with its server, which these tests lack.
    ({ kind }) => kind === 'commit',
  )
}

function expectComplete(): void {
  expect(canonicalRows(scene.world.db, { withTimes: true })).toEqual(
    canonicalRows(scene.oracle.db, { withTimes: true }),
  )
}

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const scopes = ['community', 'network'] as const

/** Receives a first part, misses a second by being away too long, and receives the rest. */
async function missMiddle(events: StreamEvent[], floor: number, cut: [number, number]) {
  const [a, b] = cut
  scene.emit(events.slice(0, a))
  await scene.caughtUp()
  await scene.disconnect()
  scene.emit(events.slice(a, b))
  scene.doubles[0]!.raiseFloor(floor)
  await scene.connect()
  scene.emit(events.slice(b))
  await scene.caughtUp()
}

describe('away for longer than the host’s window', () => {
  it.each(scopes)('another host delivers everything missed, scope %s', async (scope) => {
    const random = createRandom(testSeed('gap from another host'))
    await begin({ world: { scope, members: MEMBERS }, doubles: [{}, { firstSeq: 70_000 }] })
    const events = history(random, 900)
    await missMiddle(events, 600, [300, 600])
    expect(scene.gaps()).toMatchObject([{ cause: 'cursor-too-old', state: 'open', times: 1 }])
    scene.startRepair()
    await scene.repaired()
    expect(scene.gaps()).toMatchObject([
      { state: 'closed', how: `replayed from ${scene.doubles[1]!.url}` },
    ])
    expectComplete()
  })

  it('loses nothing although the thread stands still for longer than the hosts differ', async () => {
    const random = createRandom(testSeed('gap on a slow thread'))
    const limits = { overlapMs: 40, slice: 3 }
    await begin({ world: { members: MEMBERS }, doubles: [{}, { firstSeq: 70_000 }], limits })
    const events = history(random, 900)
    await missMiddle(events, 600, [300, 600])
    scene.startRepair()
    const standingStill = setInterval(() => block(60), 5)
    try {
      await scene.repaired()
    } finally {
      clearInterval(standingStill)
    }
    expect(scene.gaps()).toMatchObject([
      { state: 'closed', how: `replayed from ${scene.doubles[1]!.url}` },
    ])
    expectComplete()
  })

  it('resumes where it was after each of many restarts', async () => {
    const random = createRandom(testSeed('gap with restarts'))
    await begin({
      world: { members: MEMBERS },
      doubles: [{}, { firstSeq: 70_000 }],
      limits: { slice: 20 },
    })
    const events = history(random, 900)
    await missMiddle(events, 700, [100, 700])
    const reached: number[] = []
    scene.startRepair()
    for (let i = 0; i < 4; i++) {
      const before = reached.at(-1) ?? 0
      await scene.until(() => (scene.gaps()[0]?.reached ?? 0) > before)
      await scene.restart()
      reached.push(scene.gaps()[0]!.reached)
    }
    // Another host locates the main stream's position by events that both deliver.
    scene.emit(history(random, 5))
    await scene.repaired()
    expect(scene.gaps()).toMatchObject([{ state: 'closed', times: 1 }])
    const froms = scene.doubles[1]!.connections().map(({ url }) =>
      Number(new URL(url, 'ws://x').searchParams.get('cursor')),
    )
    // Later connections start later.
    expect([...froms].sort((x, y) => x - y)).toEqual(froms)
    expectComplete()
  })

  it('is split where the furthest-reaching host begins; the earlier part is compared', async () => {
    const random = createRandom(testSeed('gap split'))
    await begin({ world: { members: MEMBERS }, doubles: [{}, { firstSeq: 70_000 }] })
    const events = history(random, 900)
    scene.doubles[1]!.raiseFloor(70_000 + 400)
    await missMiddle(events, 600, [200, 600])
    const [gap] = scene.gaps()
    scene.startRepair()
    await scene.repaired()
    const [compared, replayed] = scene.gaps().sort((x, y) => x.fromUs - y.fromUs)
    expect(compared).toMatchObject({ fromUs: gap!.fromUs, how: 'compared', state: 'closed' })
    expect(replayed).toMatchObject({ fromUs: compared!.toUs, toUs: gap!.toUs, state: 'closed' })
    expect(replayed!.how).toBe(`replayed from ${scene.doubles[1]!.url}`)
  })

  it('v1 clamps silently, and is detected by events that do not repeat, however recent', async () => {
    const random = createRandom(testSeed('gap v1'))
    await begin({
      world: { members: MEMBERS },
      wire: 'v1',
      doubles: [{ legacy: true }, { firstSeq: 70_000 }],
    })
    const events = history(random, 600)
    await missMiddle(events, 400, [200, 400])
    expect(scene.gaps()).toMatchObject([{ cause: 'cursor-too-old', state: 'open' }])
    scene.startRepair()
    await scene.repaired()
    expectComplete()
  })

  it('v1 that still has the events leaves no gap', async () => {
    const random = createRandom(testSeed('no gap v1'))
    await begin({ world: { members: MEMBERS }, wire: 'v1', doubles: [{ legacy: true }] })
    await missMiddle(history(random, 600), 1, [200, 400])
    expect(scene.gaps()).toEqual([])
    expectComplete()
  })
})

describe('a host that lost events', () => {
  async function repairLossOfFirst(doubles: object[]): Promise<void> {
    const random = createRandom(testSeed('lost by a host'))
    await begin({ world: { members: MEMBERS }, doubles })
    const events = history(random, 300)
    scene.emit(events)
    await scene.caughtUp()
    const [fromUs, toUs] = [events[100]!.timeUs, events[200]!.timeUs]
    const host = scene.doubles[0]!.url
    const lost = { host, cause: 'host-switch', fromUs, toUs } as const
    const unread = { ...lost, host: 'another', cause: 'dropped-frame' } as const
    insertGap(scene.world.db, unread, scene.world.now())
    insertGap(scene.world.db, lost, scene.world.now())
    scene.startRepair()
    await scene.repaired()
  }

  it('is not asked for them if there is another', async () => {
    await repairLossOfFirst([{}, { firstSeq: 70_000 }])
    const how = `replayed from ${scene.doubles[1]!.url}`
    expect(scene.gaps()).toMatchObject([{ state: 'closed', how }])
  })

  it('has repositories compared if it is the only one', async () => {
    await repairLossOfFirst([{}])
    expect(scene.gaps()).toMatchObject([{ state: 'closed', how: 'compared' }])
  })
})

describe('unreadable frames', () => {
  it('are replayed uncompressed, and nothing is missing', async () => {
    const random = createRandom(testSeed('dropped frames'))
    await begin({ world: { members: MEMBERS }, compress: true, doubles: [{}] })
    const events = history(random, 600)
    const [double] = scene.doubles
    double!.behaviour.tamper = (frame) =>
      typeof frame !== 'string' && random.chance(0.03) ? frame.subarray(0, 20) : frame
    scene.emit(events.slice(0, -5))
    await scene.until(
      () => double!.connections().at(-1)!.sent.at(-1) === double!.entries().at(-1)!.event.seq,
    )
    double!.behaviour.tamper = undefined
    // The last events could be among the unreadable ones, with no event after them.
    scene.emit(events.slice(-5))
    await scene.caughtUp()
    expect(scene.gaps().length).toBeGreaterThan(0)
    expect(scene.gaps().every(({ cause }) => cause === 'dropped-frame')).toBe(true)
    scene.startRepair()
    await scene.repaired()
    expectComplete()
  })
})

describe('an unusable event', () => {
  it('is a gap of its account only, if that is known; its repository is compared later', async () => {
    await begin({ world: { members: MEMBERS }, doubles: [{}] })
    const { world, oracle } = scene
    const [known, unknown] = [oracle.account('person-1'), oracle.account('nobody')]
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`
    let seq = 1_000_000
    const breakEventsOf = async (...dids: string[]) => {
      for (const did of dids) {
        const payload = `{"$type":"network.bsky.jetstream.subscribeEvents#commit","seq":${seq++},"did":"${did}","x":${deep}}`
        scene.doubles[0]!.sendText(`{"$type":"message","payload":${payload}}`)
      }
      scene.emit(oracle.hold(() => void oracle.post(known)))
      await scene.caughtUp()
    }
    await breakEventsOf(known, unknown, known)
    expect(scene.gaps()).toMatchObject([
      { cause: 'broken-event', did: known, state: 'open', times: 2 },
    ])
    const jobs = () =>
      world.db
        .prepare<[], { subject: number; not_before: number }>(
          "SELECT subject, not_before FROM jobs WHERE kind = 'repo'",
        )
        .all()
    const job = jobs()
    // Delayed, so that an account writing such events cannot keep us busy.
    expect(job).toMatchObject([{ subject: world.uid(known) }])
    expect(job[0]!.not_before).toBeGreaterThan(world.now())
    expect(job[0]!.not_before).toBeLessThan(world.now() + 60_000)
    expectComplete()
    // Once it was compared, the next time is later: soon at first, then hardly ever.
    const waits: number[] = []
    for (let i = 0; i < 5; i++) {
      world.db.exec("DELETE FROM jobs WHERE kind = 'repo'")
      world.db.prepare("UPDATE gaps SET state = 'closed', closed_at = ?").run(world.now())
      const before = world.now()
      await breakEventsOf(known)
      waits.push(Math.round((jobs()[0]!.not_before - before) / 10_000) * 10)
    }
    expect(waits).toEqual([20, 80, 320, 600, 600])
    expectComplete()
  })
})

describe('a record created in a gap and deleted after it', () => {
  it('is not restored by the replay, even a stranger’s', async () => {
    await begin({ world: { members: ['reader'] }, doubles: [{}, { firstSeq: 70_000 }] })
    const { oracle } = scene
    const [author, stranger] = [oracle.account('person-1'), oracle.account('stranger')]
    let post: RecordId | undefined
    let like: RecordId | undefined
    const act = (what: () => void) => scene.emit(oracle.hold(what))
    act(() => {
      post = oracle.post(author)
    })
    await scene.caughtUp()
    await scene.disconnect()
    act(() => {
      like = oracle.like(stranger, post!)
    })
    scene.doubles[0]!.raiseFloor(scene.doubles[0]!.entries().at(-1)!.event.seq + 1)
    await scene.connect()
    // The stranger is unknown, so this deletion leaves no trace.
    act(() => oracle.delete(like!))
    act(() => void oracle.post(author))
    await scene.caughtUp()
    scene.startRepair()
    await scene.repaired()
    expect(canonicalRows(scene.world.db)['likes']).toEqual([])
    expectComplete()
  })
})

describe('an account that was deleted in the gap and came back', () => {
  it.each(scopes)('has only its later records, scope %s', async (scope) => {
    await begin({ world: { scope, members: ['reader'] }, doubles: [{}, { firstSeq: 70_000 }] })
    const { oracle } = scene
    const did = oracle.account('person-1')
    const other = oracle.account('person-2')
    const act = (what: () => void) => scene.emit(oracle.hold(what))
    act(() => {
      const post = oracle.post(other)
      oracle.post(did)
      oracle.like(did, post)
      oracle.follow(did, other)
    })
    await scene.caughtUp()
    await scene.disconnect()
    act(() => oracle.status(did, 'deleted'))
    act(() => void oracle.post(other))
    scene.doubles[0]!.raiseFloor(scene.doubles[0]!.entries().at(-1)!.event.seq + 1)
    await scene.connect()
    act(() => oracle.status(did))
    act(() => void oracle.post(did))
    await scene.caughtUp()
    scene.startRepair()
    await scene.until(() => scene.gaps().some(({ how }) => how?.startsWith('replayed')))
    expect(canonicalRows(scene.world.db)['likes']).toEqual([])
    expectComplete()
  })
})
