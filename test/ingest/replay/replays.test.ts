// The last hours of those who became somebody's concern, from doubles that hold them: what is here
// afterwards is compared with a naive account of everything that ever happened, while the main stream
// goes on, hosts break off, lie and keep less, and the process ends in the middle.

import { afterEach, describe, expect, it } from 'vitest'
import { unpackCid, unpackRkey } from '../../../src/base/atproto/keys.ts'
import type { StreamEvent } from '../../../src/base/event.ts'
import { followEdges, likeEdges } from '../../../src/data/store/edges/all-edges.ts'
import { NEWEST } from '../../../src/data/store/edges/subject-lists.ts'
import { allReplays, requestedReplays } from '../../../src/data/store/replays.ts'
import { streamCursors } from '../../../src/data/store/stream-cursors.ts'
import { defaultReplayLimits } from '../../../src/ingest/replay/limits.ts'
import { createNaiveIndex } from '../../support/naive-index.ts'
import { createRandom } from '../../support/random.ts'
import { randomHistory } from '../../support/random-history.ts'
import {
  HOUR_MS,
  type ReplayWorld,
  type ReplayWorldOptions,
  startReplayWorld,
} from '../../support/replay-world.ts'
import { pairsOf } from '../../support/rows.ts'
import { testSeed } from '../../support/seed.ts'
import type { World } from '../../support/world.ts'

/** Of a Jetstream host. */
const MAX_DIDS_A_SOCKET = 10_000
/** Accounts that a replay asks for besides, to know where the stream's head is. */
const BEACONS = 8
const POST = 'app.bsky.feed.post'
const READER = 'reader'
const PEOPLE = Array.from({ length: 9 }, (_, i) => `person-${i}`)

let scene: ReplayWorld

async function start(options: ReplayWorldOptions = {}): Promise<ReplayWorld> {
  scene = await startReplayWorld(options)
  return scene
}

afterEach(() => scene.close())

/** A history of all people, in the order of its times. Whoever is deleted writes nothing. */
function history(world: World, seed: string, count: number): StreamEvent[] {
  const deleted = new Set<string>()
  return randomHistory(world, createRandom(testSeed(seed)), count).filter((event) => {
    if (event.kind !== 'account') return !deleted.has(event.did)
    if (event.status === 'deleted') deleted.add(event.did)
    else deleted.delete(event.did)
    return true
  })
}

/** The reader signs in and follows everybody: as one, the follow list that comes at first sign-in. */
function signIn({ world }: ReplayWorld): StreamEvent[] {
  const reader = world.account(READER)
  world.member(reader)
  const follows = world.hold(() => {
    for (const name of PEOPLE) world.follow(reader, world.account(name))
  })
  world.apply(follows)
  return follows
}

function records(world: World) {
  const did = (uid: number) => world.actors.didOf(uid)
  type Row = { uid: number; rkey: never; cid: Buffer; state?: number }
  const all = (table: string, where: string) =>
    world.db
      .prepare<[], Row>(`SELECT uid, rkey, cid FROM ${table} WHERE ${where}`)
      .all()
      .map((row) => `${did(row.uid)} ${unpackRkey(row.rkey)} ${unpackCid(row.cid)}`)
      .sort()
  const postUri = new Map(
    world.db
      .prepare<[], { id: number; uid: number; rkey: never }>('SELECT id, uid, rkey FROM posts')
      .all()
      .map(({ id, uid, rkey }) => [id, `at://${did(uid)}/${POST}/${unpackRkey(rkey)}`]),
  )
  const edges = (table: typeof likeEdges, name: (subject: number) => string) =>
    [...new Set(pairsOf(world.db, table).map(([, subject]) => subject))]
      .flatMap((subject) => table.newest(world.db, subject, NEWEST, 100_000))
      .map(({ uid, rkey, subject }) => `${did(uid)} ${unpackRkey(rkey)} ${name(subject)}`)
      .sort()
  return {
    posts: all('posts', 'state = 1'),
    reposts: all('reposts', 'TRUE'),
    likes: edges(likeEdges, (subject) => postUri.get(subject)!),
    follows: edges(followEdges, did),
  }
}

function expected(events: readonly StreamEvent[]) {
  const naive = createNaiveIndex()
  for (const event of events) naive.apply(event)
  const rkeyOf = (uri: string) => uri.split('/').at(-1)
  const all = (name: string) =>
    naive
      .records(`app.bsky.feed.${name}`)
      .map(([uri, { did, cid }]) => `${did} ${rkeyOf(uri)} ${cid}`)
      .sort()
  const pointing = (collection: string, subject: (value: never) => unknown) =>
    naive
      .records(collection)
      .map(
        ([uri, { did, record }]) => `${did} ${rkeyOf(uri)} ${subject(record['subject'] as never)}`,
      )
      .sort()
  return {
    posts: all('post'),
    reposts: all('repost'),
    likes: pointing('app.bsky.feed.like', ({ uri }: { uri: string }) => uri),
    follows: pointing('app.bsky.graph.follow', (did) => did),
  }
}

/** Emits in small portions, as time goes by. */
async function emitSlowly(events: StreamEvent[], portion = 25): Promise<void> {
  for (let at = 0; at < events.length; at += portion) {
    scene.emit(events.slice(at, at + portion))
    await new Promise((resolve) => setTimeout(resolve, 4))
  }
}

describe('the last hours of a new member’s follows', () => {
  it.each([
    ['on one host', {}],
    ['over v1', { wire: 'v1', limits: { quietMs: 600 } }],
    ['compressed', { compress: true }],
    [
      'from another host than the main stream',
      { doubles: [{}, { firstSeq: 70_000 }], replayHosts: [1] },
    ],
    ['from a legacy host', { wire: 'v1', doubles: [{}, { legacy: true }], replayHosts: [1] }],
    ['slice by slice', { limits: { slice: 7 } }],
  ] as [string, ReplayWorldOptions][])(
    'are all here, and nothing else: %s',
    async (name, options) => {
      const { world } = await start(options)
      const past = history(world, `replay ${name}`, 1_200)
      const [before, meanwhile] = [past.slice(0, 900), past.slice(900)]
      scene.emit(before)
      await scene.until(() => scene.main.status().received >= before.length * 0.9)
      const follows = signIn(scene)
      await emitSlowly(meanwhile)
      scene.emit(follows)
      await scene.settled()
      expect(records(world)).toEqual(expected([...past, ...follows]))
    },
  )

  it('come whole though the sockets break off and frames come twice', async () => {
    const { world, doubles } = await start({ doubles: [{}, {}], limits: { slice: 20 } })
    const past = history(world, 'replay faults', 1_000)
    scene.emit(past.slice(0, 800))
    await scene.until(() => scene.main.status().received >= 700)
    for (const { behaviour } of doubles) Object.assign(behaviour, { duplicateChance: 0.2 })
    const follows = signIn(scene)
    const cutting = setInterval(() => doubles[0]!.disconnect(), 40)
    await emitSlowly(past.slice(800), 5)
    clearInterval(cutting)
    scene.emit(follows)
    await scene.settled()
    expect(records(world)).toEqual(expected([...past, ...follows]))
    expect(doubles[0]!.connections().length).toBeGreaterThan(4)
  })

  it('go on where they were after a restart, and the main stream where it was', async () => {
    const { world, doubles } = await start({ limits: { slice: 10 } })
    const past = history(world, 'replay restart', 1_000)
    scene.emit(past.slice(0, 900))
    await scene.until(() => scene.main.status().received >= 800)
    const follows = signIn(scene)
    await scene.until(() => (allReplays(world.db)[0]?.cursor?.seq ?? 0) > 100)
    await scene.restart()
    const [replay] = allReplays(world.db)
    scene.emit(past.slice(900))
    await scene.until(() => (allReplays(world.db)[0]?.cursor?.seq ?? 9e9) > 300)
    await scene.restart()
    scene.emit(follows)
    await scene.settled()
    expect(records(world)).toEqual(expected([...past, ...follows]))
    const resumed = doubles[0]!.connections().filter(({ url }) => url.includes('dids='))
    expect(resumed.map(({ startSeq }) => startSeq)).toContain(replay!.cursor!.seq)
  })

  it('leave the main stream’s cursor alone', async () => {
    const { world } = await start({ limits: { slice: 5 } })
    const past = history(world, 'replay cursor', 400)
    scene.emit(past)
    await scene.until(() => streamCursors(world.db)[0]?.seq === past.length)
    signIn(scene)
    await scene.settled()
    expect(streamCursors(world.db)).toHaveLength(1)
    expect(streamCursors(world.db)[0]).toMatchObject({ seq: past.length })
  })

  it('are of nobody else, whatever the host sends', async () => {
    const { world, doubles } = await start()
    const stranger = world.account('stranger')
    const posts = world.hold(() => {
      for (let i = 0; i < 50; i++) world.post(stranger, `spam ${i}`)
    })
    const past = history(world, 'replay lying', 300)
    scene.emit([...posts, ...past])
    await scene.until(() => scene.main.status().received >= posts.length + past.length)
    doubles[0]!.behaviour.ignoresDids = true
    const follows = signIn(scene)
    scene.emit(follows)
    await scene.settled()
    expect(world.uid(stranger)).toBe(0)
    expect(records(world)).toEqual(expected([...past, ...follows]))
  })

  it('of an account that is deleted meanwhile stay gone', async () => {
    const { world } = await start({ limits: { slice: 5 } })
    const [author, other] = PEOPLE.map((name) => world.account(name)) as [string, string]
    const past = world.hold(() => {
      for (let i = 0; i < 300; i++) world.post(i % 2 ? author : other, `post ${i}`)
    })
    scene.emit(past)
    await scene.until(() => scene.main.status().received >= 300)
    const follows = signIn(scene)
    await scene.until(() => (allReplays(world.db)[0]?.cursor?.seq ?? 0) > 20)
    const end = world.hold(() => world.status(author, 'deleted'))
    scene.emit([...end, ...follows])
    await scene.settled()
    expect(records(world)).toEqual(expected([...past, ...end, ...follows]))
    expect(records(world).posts).toHaveLength(150)
  })

  it('bring what is younger than the host’s window, and the rest is asked of the accounts’ servers', async () => {
    const { world, doubles } = await start({ limits: { recentMs: 36 * HOUR_MS } })
    const past = history(world, 'replay window', 600)
    scene.emit(past)
    await scene.until(() => scene.main.status().received >= past.length)
    doubles[0]!.raiseFloor(301)
    const follows = signIn(scene)
    scene.emit(follows)
    await scene.settled()
    const jobs = world.db.prepare("SELECT subject FROM jobs WHERE kind = 'recent'").all()
    expect(jobs.length).toBe(PEOPLE.length + 1)
    const line = scene.lines.find(({ msg }) => msg.startsWith('replay incomplete'))
    expect(line?.['windowUs']).toBe(doubles[0]!.entries()[300]!.event.timeUs)
  })

  it('of a few accounts are asked of their servers at once, without a socket', async () => {
    const { world, doubles } = await start({ limits: { minAccounts: 20 } })
    signIn(scene)
    await scene.until(() => requestedReplays(world.db).count === 0)
    const jobs = world.db.prepare("SELECT subject FROM jobs WHERE kind = 'recent'").all()
    expect(jobs).toHaveLength(PEOPLE.length + 1)
    expect(doubles[0]!.connections()).toHaveLength(1)
  })

  it('are asked of the servers where no host answers', async () => {
    const { world } = await start({ limits: { giveUpMs: 150 } })
    for (const double of scene.doubles)
      double.refuseHandshakes({ status: 503, name: 'ServiceUnavailable', message: 'no' }, 10_000)
    signIn(scene)
    await scene.settled()
    const jobs = world.db.prepare("SELECT subject FROM jobs WHERE kind = 'recent'").all()
    expect(jobs).toHaveLength(PEOPLE.length + 1)
    expect(scene.lines.map(({ how }) => how)).toContain('failed')
  })

  it('of more accounts than a socket takes come over several, and of several members together', async () => {
    const { accountsPerSocket } = defaultReplayLimits
    expect(accountsPerSocket + BEACONS).toBeLessThanOrEqual(MAX_DIDS_A_SOCKET)
    const { world, doubles } = await start({ limits: { accountsPerSocket: 999, gatherMs: 500 } })
    const authors = Array.from({ length: 2_500 }, (_, i) => world.account(`author ${i}`))
    const posts = world.hold(() => {
      for (const did of authors) world.post(did)
    })
    scene.emit(posts)
    await scene.until(() => scene.main.status().received >= posts.length)
    const members = ['one', 'two', 'three'].map((name) => world.account(name))
    for (const member of members) world.member(member)
    const follows = world.hold(() => {
      for (const [i, did] of authors.entries()) world.follow(members[i % 3]!, did)
    })
    world.apply(follows)
    await scene.settled()
    const replayed = doubles[0]!.connections().filter(({ url }) => url.includes('dids='))
    expect(replayed).toHaveLength(3)
    const asked = replayed.map(({ url }) => url.split('dids=').length - 1)
    expect(Math.max(...asked)).toBeLessThanOrEqual(999 + BEACONS)
    expect(records(world).posts).toHaveLength(posts.length)
  })
})
