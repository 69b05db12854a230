// The last hours of accounts that came into scope, replayed from doubles that hold them: the result is
// compared with a naive model of all events, while the main stream continues, hosts disconnect, lie and keep
// less, and the process ends in the middle.

import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamEvent } from '@slipstream/jetstream'
import { afterEach, describe, expect, it } from 'vitest'
import { unpackCid, unpackRkey } from '../../../src/base/atproto/keys.ts'
import { followEdges, likeEdges } from '../../../src/data/store/edges/all-edges.ts'
import { NEWEST } from '../../../src/data/store/edges/subject-lists.ts'
import { enqueueJob } from '../../../src/data/store/fetching/jobs.ts'
import { allReplays, requestedReplays } from '../../../src/data/store/stream/replays.ts'
import { streamCursors } from '../../../src/data/store/stream/stream-cursors.ts'
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

/** A Jetstream host's limit. */
const MAX_DIDS_A_SOCKET = 10_000
/** Extra accounts that a replay subscribes to, to locate the stream's head. */
const BEACONS = 8
const POST = 'app.bsky.feed.post'
const READER = 'reader'
/** Longer than the replays take to look twice for waiting accounts. */
const LOOKS_MS = 600
const PEOPLE = Array.from({ length: 9 }, (_, i) => `person-${i}`)

let scene: ReplayWorld

async function start(options: ReplayWorldOptions = {}): Promise<ReplayWorld> {
  scene = await startReplayWorld(options)
  return scene
}

afterEach(() => scene.close())

/** A history of all accounts, in time order. Deleted accounts write nothing. */
function history(world: World, seed: string, count: number): StreamEvent[] {
  const deleted = new Set<string>()
  return randomHistory(world, createRandom(testSeed(seed)), count).filter((event) => {
    if (event.kind !== 'account') return !deleted.has(event.did)
    if (event.status === 'deleted') deleted.add(event.did)
    else deleted.delete(event.did)
    return true
  })
}

/**
 * The reader signs in and follows every account: in one batch, like the follow list fetched at
 * first sign-in.
 */
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

/** Counts the accounts that these events leave deleted: nothing is fetched of them. */
function deletedAtTheEnd(events: readonly StreamEvent[]): number {
  const statuses = new Map<string, string | undefined>()
  for (const event of events) if (event.kind === 'account') statuses.set(event.did, event.status)
  return [...statuses.values()].filter((status) => status === 'deleted').length
}

/** Emits in small portions, over time. */
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
    'are all stored, and nothing else: %s',
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

  it('are complete although sockets disconnect and frames repeat', async () => {
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

  it('resume where they were after a restart, as does the main stream', async () => {
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

  it('leave the main stream’s cursor unchanged', async () => {
    const { world } = await start({ limits: { slice: 5 } })
    const past = history(world, 'replay cursor', 400)
    scene.emit(past)
    await scene.until(() => streamCursors(world.db)[0]?.seq === past.length)
    signIn(scene)
    await scene.settled()
    expect(streamCursors(world.db)).toHaveLength(1)
    expect(streamCursors(world.db)[0]).toMatchObject({ seq: past.length })
  })

  it('include no other accounts, whatever the host sends', async () => {
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

  it('stay deleted for an account deleted meanwhile', async () => {
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

  it('are replayed within the host’s window; the rest is fetched from the accounts’ servers', async () => {
    const { world, doubles } = await start({ limits: { recentMs: 36 * HOUR_MS } })
    const past = history(world, 'replay window', 600)
    scene.emit(past)
    await scene.until(() => scene.main.status().received >= past.length)
    doubles[0]!.raiseFloor(301)
    const follows = signIn(scene)
    scene.emit(follows)
    await scene.settled()
    const jobs = world.db.prepare("SELECT subject FROM jobs WHERE kind = 'recent'").all()
    const replayed = past.slice(300)
    expect(jobs.length).toBe(PEOPLE.length + 1 - deletedAtTheEnd(replayed))
    const line = scene.lines.find(({ msg }) => msg.startsWith('replay incomplete'))
    // The first events there may be of a kind that no replay subscribes to.
    const floorUs = doubles[0]!.entries()[300]!.event.timeUs
    expect(line?.['windowUs']).toBeGreaterThanOrEqual(floorUs)
    expect(line?.['windowUs']).toBeLessThan(floorUs + 10_000)
  })

  it('of a few accounts are fetched from their servers at once, without a socket', async () => {
    const { world, doubles } = await start({ limits: { minAccounts: 20 } })
    signIn(scene)
    await scene.until(() => requestedReplays(world.db).count === 0)
    const jobs = world.db.prepare("SELECT subject FROM jobs WHERE kind = 'recent'").all()
    expect(jobs).toHaveLength(PEOPLE.length + 1)
    expect(doubles[0]!.connections()).toHaveLength(1)
  })

  it('are fetched from their servers where no Jetstream is read', async () => {
    const { world } = await start({ replayHosts: [] })
    signIn(scene)
    await scene.settled()
    const jobs = world.db.prepare("SELECT subject FROM jobs WHERE kind = 'recent'").all()
    expect(jobs).toHaveLength(PEOPLE.length + 1)
    expect(allReplays(world.db)).toEqual([])
  })

  it('are fetched from the servers if no host answers', async () => {
    const { world } = await start({ limits: { giveUpMs: 150 } })
    for (const double of scene.doubles)
      double.refuseHandshakes({ status: 503, name: 'ServiceUnavailable', message: 'no' }, 10_000)
    signIn(scene)
    await scene.settled()
    const jobs = world.db.prepare("SELECT subject FROM jobs WHERE kind = 'recent'").all()
    expect(jobs).toHaveLength(PEOPLE.length + 1)
    expect(scene.lines.map(({ how }) => how)).toContain('failed')
  })

  it.each([
    { name: 'wait for the first page of a newcomer', firstPageMs: 2 * HOUR_MS, begun: 0 },
    { name: 'begin once the newest posts are read', firstPageMs: 0, begun: 1 },
  ])('$name', async ({ firstPageMs, begun }) => {
    const patient = { latestGatherMs: Infinity, longestGatherMs: Infinity }
    const { world, lines } = await start({ limits: { firstPageMs, ...patient } })
    world.writer.commit(({ db }) => enqueueJob(db, 'latest', 1))
    const past = history(world, 'first page', 60)
    scene.emit(past)
    await scene.until(() => scene.main.status().received >= past.length)
    signIn(scene)
    const replays = () => lines.filter(({ msg }) => msg === 'replay begun')
    // Stands in for the jobs of the cold start, which would be done by now.
    const endJobs = (kind: string) =>
      world.writer.commit(({ db }) => db.prepare('DELETE FROM jobs WHERE kind = ?').run(kind))
    endJobs('member')
    await sleep(LOOKS_MS)
    expect(replays()).toHaveLength(0)
    endJobs('latest')
    await (begun > 0 ? scene.until(() => replays().length > 0) : sleep(LOOKS_MS))
    expect(replays()).toHaveLength(begun)
  })

  it('of more accounts than fit a socket use several, shared between members', async () => {
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
    const requested = replayed.map(({ url }) => url.split('dids=').length - 1)
    expect(Math.max(...requested)).toBeLessThanOrEqual(999 + BEACONS)
    expect(records(world).posts).toHaveLength(posts.length)
  })
})
