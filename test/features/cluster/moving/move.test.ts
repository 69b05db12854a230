// A cluster moves from one node to an engine and back: whatever is interrupted on the way, no data is lost, no
// number is assigned twice, and moves that would lose data are refused.

import { afterEach, expect, test } from 'vitest'
import { storeInvite } from '../../../../src/data/store/members/invites.ts'
import { bucketOf } from '../../../../src/features/cluster/engine/buckets.ts'
import { checkedBase } from '../../../../src/features/cluster/engine/cluster-moves.ts'
import { EngineUnavailableError } from '../../../../src/features/cluster/engine/connect.ts'
import {
  leaveWithoutEngine,
  moveFromEngine,
} from '../../../../src/features/cluster/moving/from-engine.ts'
import { moveToEngine } from '../../../../src/features/cluster/moving/to-engine.ts'
import { sharedCursorSecret } from '../../../../src/features/cluster/sharing/shared-timelines.ts'
import { refuseAlone } from '../../../../src/features/cluster/store/engine-move.ts'
import { storeToken } from '../../../../src/features/timelines/store/programs/service-tokens.ts'
import type { TimelinePost } from '../../../../src/features/timelines/store/programs/timeline-posts.ts'
import { rotateSigningKeys } from '../../../../src/features/timelines/store/signing-keys.ts'
import { createRandom } from '../../../support/random.ts'
import { cidOf, didOf } from '../../../support/records.ts'
import { testSeed } from '../../../support/seed.ts'
import { createPlainEngine, type PlainEngine } from '../support/plain-moving-cluster-state.ts'
import { createMovingNode, type MovingNode } from './moving-node.ts'

const SEED = testSeed('moving a place')
const [ALICE, BOB, EVE] = [didOf('alice'), didOf('bob'), didOf('eve')]
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

function emptyNode(): MovingNode {
  const node = createMovingNode()
  closing.push(() => node.world.dispose())
  node.world.run((ctx) => rotateSigningKeys(ctx.db, ctx.now))
  return node
}

function withoutTimes(held: unknown): unknown {
  return JSON.parse(
    JSON.stringify(held, (key, value) => (key === 'receivedAt' ? undefined : value)),
  )
}

/** A node with data of every kind. */
function node(): MovingNode {
  const made = emptyNode()
  const { world } = made
  const random = createRandom(SEED)
  for (const did of [ALICE, BOB]) world.member(did)
  world.follow(ALICE, EVE)
  world.follow(ALICE, BOB)
  for (let i = 0; i < 120; i++) world.post(random.pick([ALICE, BOB, EVE, didOf('stranger')]))
  const post = world.post(EVE)
  world.delete(world.post(EVE))
  for (let i = 0; i < 60; i++) {
    world.request({ id: 1, did: ALICE, kind: 'mute', subjectDid: didOf(`muted ${i}`) })
  }
  world.request({ id: 1, did: BOB, kind: 'bookmark', uri: post.uri, cid: cidOf(post.uri) })
  const none = { expires_at: null, created_at: 1 }
  world.run(({ db }) => {
    storeInvite(db, { code: 'abcd', note: '', uses: 1, max_uses: 3, disabled_at: null, ...none })
    const digest = Buffer.alloc(32, 7)
    storeToken(db, { name: 'echo', digest, scopes: '[]', rate: 9, revoked_at: null, ...none })
  })
  made.post(Array.from({ length: 250 }, (_, i) => note('news', `n${i}`)))
  made.post([note('numbered', 'a', 1), note('numbered', 'd', 4), note('numbered', 'b', 2)])
  world.tick(9)
  made.post([note('news', 'later')])
  return made
}

function note(name: string, id: string, number?: number): TimelinePost {
  return {
    name,
    entityId: id,
    entityType: 'note',
    payload: JSON.stringify({ id }),
    producerTs: 1,
    key: Buffer.from(id),
    body: Buffer.from(id),
    numbered: number === undefined ? undefined : { producer: 'p', number },
  }
}

async function join(engine: PlainEngine, joining = emptyNode()) {
  const server = joining.share(engine)
  closing.push(server.close)
  await server.takeAll()
  return { ...joining, ...server }
}

/** The committed entries of the log. */
async function logOf({ place: cluster }: PlainEngine, member: string) {
  const committed = await cluster.epochs.committed(bucketOf(member))
  const range = { member, at: 0, isForward: true, limit: 10_000 }
  const base = (await cluster.moves.read())!.base
  const { entries } = await cluster.following(base).read(range, committed)
  return { base, entries: entries.map(({ number, uri, at }) => ({ number, uri, at })) }
}

test('a second node has the first one’s data under the same numbers, and recognises a repeated post', async () => {
  const [first, engine] = [node(), createPlainEngine()]
  const before = first.has()
  const moved = await moveToEngine(first.parts(engine.place))
  expect(moved).toMatchObject({ members: 2, timelines: 2, events: 254, isNumberedOn: true })
  expect(first.has()).toEqual({ ...before, timelines: withoutOpen(before.timelines) })
  const second = await join(engine)
  expect(second.has()).toEqual(first.has())
  expect(second.cursorKeys()).toEqual(expect.arrayContaining(first.cursorKeys()))
  const [again, next, numbered] = await second.post([
    note('news', 'n7'),
    note('news', 'new'),
    note('numbered', 'e'),
  ])
  expect(again).toMatchObject({ ok: true, seq: 8 })
  expect(next).toMatchObject({ ok: true, seq: 252 })
  expect(numbered).toMatchObject({ ok: true, seq: 5 })
  const third = await join(engine, first)
  expect(third.has()).toEqual(second.has())
  const { timelines, ...others } = third.has()
  expect(others).toEqual({ ...before, timelines: undefined })
  expect(timelines['numbered']!.holes).toMatchObject([{ from: 3, to: 3, isOpen: false }])
})

test('members’ timelines keep their numbers, and the next one is above all numbers ever assigned', async () => {
  const [first, engine] = [node(), createPlainEngine()]
  const [alices, bobs] = [first.following(ALICE), first.following(BOB)]
  await moveToEngine(first.parts(engine.place))
  const { entries, base } = await logOf(engine, ALICE)
  expect(entries).toEqual(alices)
  expect((await logOf(engine, BOB)).entries).toEqual(bobs)
  // The last item that arrived has been removed again.
  expect(base).toBeGreaterThan(alices.at(-1)!.number)
  expect(await engine.place.epochs.reached(bucketOf(ALICE))).toMatchObject({
    committed: new Map([[1, 1]]),
  })
})

test(`a move interrupted at any step can be resumed, with the same result (seed ${SEED})`, async () => {
  const complete = createPlainEngine()
  const expected = node()
  await moveToEngine(expected.parts(complete.place))
  const all = (await join(complete)).has()
  const [first, engine] = [node(), createPlainEngine()]
  const random = createRandom(SEED)
  for (let cuts = 0; ; cuts++) {
    engine.state.callsLeft = 1 + 2 * cuts + random.below(9)
    const error = await moveToEngine(first.parts(engine.place)).catch((item: unknown) => item)
    engine.state.callsLeft = Infinity
    if (!(error instanceof Error)) {
      expect(cuts).toBeGreaterThan(3)
      break
    }
    expect(error).toBeInstanceOf(EngineUnavailableError)
    const state = (await engine.place.moves.read())?.state
    if (state) await expect(checkedBase(engine.place.moves)).rejects.toThrow('move-to-engine')
  }
  expect(await checkedBase(engine.place.moves)).toBe((await logOf(complete, ALICE)).base)
  // The two nodes were filled one after the other, and posts arrive by the machine's clock.
  expect(withoutTimes((await join(engine)).has())).toEqual(withoutTimes(all))
  expect((await logOf(engine, ALICE)).entries).toEqual(first.following(ALICE))
})

test('a cluster moves back with the changes of other nodes, to any node, interrupted or not', async () => {
  const [first, engine] = [node(), createPlainEngine()]
  await moveToEngine(first.parts(engine.place))
  const second = await join(engine)
  await second.post([note('news', 'shared'), note('fresh', 'only there')])
  const mute = { key: `mute ${EVE}`, change: JSON.stringify({ kind: 'mute', subjectDid: EVE }) }
  await engine.place.changes.append(BOB, [{ ...mute, madeAt: 5 }])
  for (let cuts = 1; ; cuts++) {
    engine.state.callsLeft = cuts * 7
    const error = await moveFromEngine(first.parts(engine.place)).catch((item: unknown) => item)
    engine.state.callsLeft = Infinity
    if (!(error instanceof Error)) break
    expect(error).toBeInstanceOf(EngineUnavailableError)
    expect(() => refuseAlone(first.db)).toThrow('belongs to a cluster on an engine')
  }
  refuseAlone(first.db)
  const { timelines, state } = first.has()
  expect(timelines['news']!.events.at(-1)).toMatchObject({ seq: 252, entityId: 'shared' })
  expect(timelines['fresh']!.events).toHaveLength(1)
  expect(state[BOB]!.mutes.map(({ did }) => did)).toEqual([EVE])
  expect(first.cursorKeys()).toContain(sharedCursorSecret(engine.id).toString('hex'))
  expect(first.post([note('news', 'n7'), note('news', 'alone')])).toMatchObject([
    { ok: true, seq: 8 },
    { ok: true, seq: 253 },
  ])
  await expect(checkedBase(engine.place.moves)).rejects.toThrow('moved away')
  await expect(moveFromEngine(second.parts(engine.place))).rejects.toThrow('another data folder')
  leaveWithoutEngine(second.parts(engine.place))
  refuseAlone(second.db)
})

test('numbers of members’ timelines continue above those that the engine assigned', async () => {
  const [first, engine] = [node(), createPlainEngine()]
  await moveToEngine(first.parts(engine.place))
  const { base } = await logOf(engine, ALICE)
  const items = Array.from({ length: 400 }, (_, i) => ({ uri: `at://${EVE}/x/${i}`, at: i }))
  const flush = { bucket: bucketOf(ALICE), epoch: 2, flush: 1, position: undefined }
  await engine.place.epochs.begin(new Map([[flush.bucket, 2]]))
  const write = { member: ALICE, epoch: 2, flush: 1, number: base + 1, items }
  await engine.place.following(base).put(write)
  await engine.place.epochs.commit([flush])
  await moveFromEngine(first.parts(engine.place))
  first.world.post(EVE)
  expect(first.following(ALICE, base)).toMatchObject([{ number: base + 401 }])
})

test('moves that would lose data are refused with an explanation', async () => {
  const [first, engine] = [node(), createPlainEngine()]
  engine.state.alive.push('server:3000#1')
  await expect(moveToEngine(first.parts(engine.place))).rejects.toThrow(
    'A server runs on this engine',
  )
  engine.state.alive.pop()
  await expect(moveFromEngine(first.parts(engine.place))).rejects.toThrow('shares nothing')
  await moveToEngine(first.parts(engine.place))
  await expect(moveToEngine(first.parts(engine.place))).rejects.toThrow('on that engine already')
  const other = node()
  await expect(moveToEngine(other.parts(engine.place))).rejects.toThrow(
    'Another cluster is on this engine',
  )
  const elsewhere = createPlainEngine('elsewhere')
  await expect(moveToEngine(first.parts(elsewhere.place))).rejects.toThrow('on another engine')
  await expect(moveFromEngine(first.parts(elsewhere.place))).rejects.toThrow('on that engine is')
  const joined = await join(createPlainEngine('third'), node())
  const third = createPlainEngine('third')
  await expect(moveToEngine(joined.parts(third.place))).rejects.toThrow(
    'shares with that engine already',
  )
  engine.state.alive.push('server:3000#2')
  await expect(moveFromEngine(first.parts(engine.place))).rejects.toThrow(
    'A server runs on this engine',
  )
})

test('an unfinished move can be given up on the node where it began, and the folder keeps its data', async () => {
  const [first, engine] = [node(), createPlainEngine()]
  const before = first.has()
  engine.state.callsLeft = 30
  await expect(moveToEngine(first.parts(engine.place))).rejects.toThrow('cut off')
  engine.state.callsLeft = Infinity
  expect(() => refuseAlone(first.db)).toThrow('belongs to a cluster on an engine')
  await expect(moveToEngine(node().parts(engine.place))).rejects.toThrow('did not finish')
  expect(await moveFromEngine(first.parts(engine.place))).toMatchObject({ isGivenUp: true })
  refuseAlone(first.db)
  expect(first.has()).toEqual({ ...before, timelines: withoutOpen(before.timelines) })
  await expect(moveToEngine(first.parts(engine.place))).rejects.toThrow('moved away')
  const next = createPlainEngine('next')
  expect(await moveToEngine(first.parts(next.place))).toMatchObject({ members: 2 })
})

type Timelines = ReturnType<MovingNode['has']>['timelines']

/** A number that a producer skipped is no longer waited for, so all events behind it are shown. */
function withoutOpen(timelines: Timelines): Timelines {
  expect(timelines['numbered']!.holes).toMatchObject([{ from: 3, to: 3, isOpen: true }])
  const numbered = {
    ...timelines['numbered']!,
    events: expect.any(Array),
    holes: expect.any(Array),
  }
  return { ...timelines, numbered }
}
