// The disk fills up in the middle of a replay and of a gap repair: both wait, however long that takes, and
// afterwards nothing is missing.

import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamEvent } from '@slipstream/jetstream'
import { afterEach, expect, test } from 'vitest'
import { unpackRkey } from '../../../src/base/atproto/keys.ts'
import { allReplays } from '../../../src/data/store/stream/replays.ts'
import { type BoundedDatabase, createBoundedDatabase } from '../../support/bounded-database.ts'
import { canonicalRows } from '../../support/canonical-rows.ts'
import { type GapWorld, startGapWorld } from '../../support/gap-world.ts'
import { createNaiveIndex } from '../../support/naive-index.ts'
import { createRandom } from '../../support/random.ts'
import { randomHistory } from '../../support/random-history.ts'
import { type ReplayWorld, startReplayWorld } from '../../support/replay-world.ts'
import { testSeed } from '../../support/seed.ts'
import type { World } from '../../support/world.ts'

const POST = 'app.bsky.feed.post'
const PEOPLE = Array.from({ length: 9 }, (_, i) => `person-${i}`)
/** Longer than the silence and the total time that the worlds allow a host. */
const FULL_MS = 900
const limits = { silentMs: 500, longestMs: 60_000, slice: 20 }

const open: { close(): Promise<void> }[] = []
let bounded: BoundedDatabase

afterEach(async () => {
  bounded.diskSpace.stop()
  for (const item of open.splice(0)) await item.close()
})

function history(world: World, seed: string, count: number) {
  const events = randomHistory(world, createRandom(testSeed(seed)), count)
  return events.filter(({ kind }) => kind === 'commit')
}

function followAll(world: World) {
  return world.hold(() => {
    const reader = world.account('reader')
    for (const name of PEOPLE) world.follow(reader, world.account(name))
  })
}

/** Fills the disk, waits until that is noticed, and then longer than any timeout for hosts. */
async function beFullFor(scene: GapWorld | ReplayWorld, meanwhile = () => {}): Promise<void> {
  bounded.fill(scene.world.db)
  meanwhile()
  await scene.until(() => bounded.diskSpace.isFull())
  await sleep(FULL_MS)
}

function postsIn({ db, actors }: World): string[] {
  const rows = db.prepare<[], { uid: number; rkey: never }>(
    'SELECT uid, rkey FROM posts WHERE state = 1',
  )
  return rows
    .all()
    .map(({ uid, rkey }) => `at://${actors.didOf(uid)}/${POST}/${unpackRkey(rkey)}`)
    .sort()
}

function postsOf(events: readonly StreamEvent[]): string[] {
  const naive = createNaiveIndex()
  for (const event of events) naive.apply(event)
  return naive
    .records(POST)
    .map(([uri]) => uri)
    .sort()
}

test.each([true, false])('a replay waits for room, seen at once: %s', async (isSeen) => {
  bounded = createBoundedDatabase()
  const scene = await startReplayWorld({ limits, writeRetry: bounded.diskSpace })
  open.push(scene)
  const { world } = scene
  const past = history(world, 'replay on a full disk', 1_200)
  scene.emit(past)
  await scene.until(() => scene.main.status().received >= past.length * 0.9)
  world.member(world.account('reader'))
  const follows = followAll(world)
  world.apply(follows)
  await scene.until(() => postsIn(world).length > 20)
  await beFullFor(scene)
  expect(allReplays(world.db)).toHaveLength(1)
  const later = history(world, 'meanwhile', 100)
  scene.emit(later)
  bounded.free(world.db, { isSeen })
  await scene.settled()
  const ends = scene.lines.filter(({ msg }) => /^replay (done|incomplete)/.test(msg))
  expect(ends).toMatchObject([{ how: 'met' }])
  expect(bounded.messages[0]).toMatch(/the disk is full/)
  expect(postsIn(world)).toEqual(postsOf([...past, ...later]))
})

test('a gap repair waits for room, and the gap is closed by a replay', async () => {
  bounded = createBoundedDatabase()
  const members = ['reader', 'person-0']
  const scene = await startGapWorld({
    world: { members },
    doubles: [{}, { firstSeq: 70_000 }],
    limits,
    writeRetry: bounded.diskSpace,
  })
  open.push(scene)
  await scene.connect()
  scene.emit(followAll(scene.oracle))
  await scene.caughtUp()
  const events = history(scene.oracle, 'gap on a full disk', 900)
  scene.emit(events.slice(0, 100))
  await scene.caughtUp()
  await scene.disconnect()
  scene.emit(events.slice(100, 800))
  scene.doubles[0]!.raiseFloor(700)
  await scene.connect()
  scene.emit(events.slice(800))
  await scene.caughtUp()
  const reached = () => scene.gaps()[0]?.reached ?? 0
  scene.startRepair()
  await scene.until(() => reached() > 0)
  await beFullFor(scene)
  const before = reached()
  expect(scene.gaps()).toMatchObject([{ state: 'repairing' }])
  await sleep(100)
  expect(reached()).toBe(before)
  bounded.free(scene.world.db)
  // Another host locates the main stream's position by events that both deliver.
  scene.emit(history(scene.oracle, 'later', 5))
  await scene.repaired()
  expect(scene.gaps()).toMatchObject([
    { state: 'closed', times: 1, how: `replayed from ${scene.doubles[1]!.url}` },
  ])
  expect(canonicalRows(scene.world.db, { withTimes: true })).toEqual(
    canonicalRows(scene.oracle.db, { withTimes: true }),
  )
})

test('a gap repair without room to begin begins once there is room', async () => {
  bounded = createBoundedDatabase()
  const scene = await startGapWorld({
    world: { members: ['reader'] },
    doubles: [{}, { firstSeq: 70_000 }],
    limits,
    writeRetry: bounded.diskSpace,
  })
  open.push(scene)
  await scene.connect()
  scene.emit(followAll(scene.oracle))
  await scene.caughtUp()
  const events = history(scene.oracle, 'gap before a full disk', 900)
  scene.emit(events.slice(0, 100))
  await scene.caughtUp()
  await scene.disconnect()
  scene.emit(events.slice(100, 800))
  scene.doubles[0]!.raiseFloor(700)
  await scene.connect()
  scene.emit(events.slice(800))
  await scene.caughtUp()
  await beFullFor(scene, () => scene.startRepair())
  bounded.free(scene.world.db)
  scene.emit(history(scene.oracle, 'later', 5))
  await scene.repaired()
  expect(scene.gaps()).toMatchObject([{ state: 'closed' }])
  expect(canonicalRows(scene.world.db, { withTimes: true })).toEqual(
    canonicalRows(scene.oracle.db, { withTimes: true }),
  )
})
