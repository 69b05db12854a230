import { afterEach, describe, expect, it } from 'vitest'
import { unpackRkey } from '../../../src/base/atproto/keys.ts'
import { followEdges } from '../../../src/data/store/edges/all-edges.ts'
import { enqueueJob } from '../../../src/data/store/fetching/jobs.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'
import { until } from '../../support/eventually.ts'
import { cocoon, millipds } from '../../support/foreign-pds.ts'
import type { PdsAccount } from '../../support/pds-double.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import type { Commit } from '../../support/simulated-network/repository.ts'

const FOLLOW = 'app.bsky.graph.follow'

let world: BackfillWorld

afterEach(() => world.close())

/**
 * Sets up a member who follows Alice, so that all of Alice's records are kept, and accounts for her
 * to follow.
 */
async function setUp(people: number) {
  world = await startBackfillWorld({ limits: { perHost: 1 } })
  const member = await world.person('member')
  const alice = await world.person('alice')
  const others: PdsAccount[] = []
  for (let i = 0; i < people; i++) others.push(await world.person(`other${i}`))
  const first = world.follow(member, alice)
  world.member(member)
  world.live(first)
  world.db.exec('DELETE FROM jobs')
  return { alice, others }
}

/** Runs Alice's `follows` job to its end, and nothing else. */
async function loadFollows(alice: PdsAccount): Promise<void> {
  world.db.exec('DELETE FROM jobs')
  enqueueJob(world.db, 'follows', world.uid(alice))
  // A deletion in this same millisecond would count as following the listing's start.
  await new Promise((resolve) => setTimeout(resolve, 2))
  world.backfill.start()
  const left = world.db.prepare("SELECT count(*) FROM jobs WHERE kind = 'follows'").pluck()
  await until(() => left.get() === 0)
}

function rows(alice: PdsAccount): string[] {
  return [...followEdges.edgesOf(world.db, world.uid(alice))]
    .map(({ rkey, subject }) => `${unpackRkey(rkey)} ${world.memory.actors.didOf(subject)}`)
    .sort()
}

function repository(alice: PdsAccount): string[] {
  const records = alice.collections.get(FOLLOW)?.values() ?? []
  return [...records].map(({ rkey, value }) => `${rkey} ${value['subject']}`).sort()
}

function edges(alice: PdsAccount): number[] {
  const out = new Uint32Array(10_000)
  const count = world.memory.graph.follows(world.uid(alice), 0, out)
  return [...out.subarray(0, count)].sort((a, b) => a - b)
}

function expectEqual(alice: PdsAccount): void {
  expect(rows(alice)).toEqual(repository(alice))
  const subjects = [...(alice.collections.get(FOLLOW)?.values() ?? [])].map(({ value }) =>
    world.uid({ did: String(value['subject']) }),
  )
  expect(edges(alice)).toEqual([...new Set(subjects)].sort((a, b) => a - b))
}

/** Runs `act` when the nth page of Alice's follows is requested, before it is answered. */
function atPage(nth: number, act: () => void): void {
  let page = 0
  world.hosts[0]!.onRequest(({ query }) => {
    if (query['collection'] === FOLLOW && ++page === nth) act()
  })
}

describe('the follow list becomes the repository’s', () => {
  it('completely, over many pages', async () => {
    const { alice, others } = await setUp(250)
    for (const other of others) world.follow(alice, other)
    await loadFollows(alice)
    expectEqual(alice)
    expect(world.hosts[0]!.stats().byMethod['com.atproto.repo.listRecords']).toBe(4)
  })

  it('without follows deleted while the stream was not read', async () => {
    const { alice, others } = await setUp(30)
    const follows = others.map((other) => world.follow(alice, other))
    world.live(...follows)
    for (const { rkey } of follows.slice(0, 10)) alice.remove(FOLLOW, rkey, Date.now())
    await loadFollows(alice)
    expectEqual(alice)
    expect(rows(alice)).toHaveLength(20)
  })

  it('with follows that the stream adds during the listing', async () => {
    const { alice, others } = await setUp(150)
    for (const other of others.slice(0, 149)) world.follow(alice, other)
    atPage(2, () => world.live(world.follow(alice, others[149]!, Date.now())))
    await loadFollows(alice)
    expectEqual(alice)
    expect(rows(alice)).toHaveLength(150)
  })

  it('without follows that the stream deletes during the listing, though the listing has them', async () => {
    const { alice, others } = await setUp(120)
    const follows = others.map((other) => world.follow(alice, other))
    world.live(...follows)
    const newest = follows.at(-1)!
    // The first page, with the newest follow in it, has been answered; its deletion follows.
    atPage(2, () => world.live(alice.remove(FOLLOW, newest.rkey, Date.now())))
    await loadFollows(alice)
    expectEqual(alice)
  })

  it.each([
    { name: '', clock: (): number => Date.now(), isMute: false },
    { name: ', though the PDS reports no revision', clock: (): number => 0, isMute: true },
  ])('with a key that the stream deletes and recreates during the listing$name', async (how) => {
    const { alice, others } = await setUp(120)
    const follows = others.map((other) => world.follow(alice, other))
    world.live(...follows)
    if (how.isMute) world.hosts[0]!.misbehave({ method: 'getLatestCommit', how: { status: 501 } })
    const { rkey } = follows[0]!
    const value = { subject: others[0]!.did, createdAt: new Date().toISOString() }
    let removal: Commit | undefined
    // Absent when its page is read, and recreated, live, after the last page.
    atPage(2, () => {
      removal = alice.remove(FOLLOW, rkey, how.clock())
    })
    let answers = 0
    world.hosts[0]!.onAnswer(({ query }) => {
      if (query['collection'] !== FOLLOW || ++answers !== 3) return
      world.live(removal, alice.put({ collection: FOLLOW, rkey, value, atMs: how.clock() }))
    })
    await loadFollows(alice)
    expectEqual(alice)
    expect(rows(alice).some((row) => row.startsWith(rkey))).toBe(true)
  })

  it('and keeps the stored follows if the listing breaks off', async () => {
    const { alice, others } = await setUp(150)
    world.live(...others.map((other) => world.follow(alice, other)))
    world.hosts[0]!.misbehave({ method: 'listRecords', how: 'lying-did' })
    world.db.exec('DELETE FROM jobs')
    enqueueJob(world.db, 'follows', world.uid(alice))
    world.backfill.start()
    const attempts = world.db.prepare("SELECT attempts FROM jobs WHERE kind = 'follows'").pluck()
    await until(() => attempts.get() !== 0)
    expectEqual(alice)
  })

  it('under any interleaving of repository, stream and listing', async () => {
    const random = createRandom(testSeed('reconcile'))
    const { alice, others } = await setUp(180)
    const live: Commit[] = []
    const follow = () => live.push(world.follow(alice, random.pick(others), Date.now()))
    const unfollow = () => {
      const keys = [...(alice.collections.get(FOLLOW)?.keys() ?? [])]
      const gone = keys.length > 0 && alice.remove(FOLLOW, random.pick(keys), Date.now())
      if (gone) live.push(gone)
    }
    const refollow = () => {
      const keys = [...(alice.collections.get(FOLLOW)?.keys() ?? [])]
      if (keys.length === 0) return
      const rkey = random.pick(keys)
      const subject = random.pick(others).did
      const gone = alice.remove(FOLLOW, rkey, Date.now())!
      const value = { subject, createdAt: new Date().toISOString() }
      live.push(gone, alice.put({ collection: FOLLOW, rkey, value, atMs: Date.now() }))
    }
    /** The stream lags: it delivers in order, but at arbitrary times. */
    const deliver = (count: number) => world.live(...live.splice(0, count))
    const act = (times: number) => {
      for (let i = 0; i < times; i++) {
        const dice = random.next()
        if (dice < 0.4) follow()
        else if (dice < 0.6) unfollow()
        else if (dice < 0.7) refollow()
        else deliver(random.below(20))
      }
    }
    for (let round = 0; round < 12; round++) {
      act(60)
      // Sometimes part of the stream is lost permanently.
      if (random.chance(0.3)) live.length = 0
      world.hosts[0]!.onRequest(() => act(random.below(12)))
      const busy = setInterval(() => act(random.below(4)), 1)
      await loadFollows(alice)
      clearInterval(busy)
      world.hosts[0]!.onRequest(undefined)
      deliver(live.length)
      expectEqual(alice)
    }
  })
})

it.each([
  ['millipds', millipds],
  ['cocoon', cocoon],
])(
  '%s lists an account that it does not have as empty, and nothing is removed',
  async (_, software) => {
    const { alice, others } = await setUp(5)
    for (const other of others) world.live(world.follow(alice, other))
    const before = rows(alice)
    expect(before).toHaveLength(5)
    world.hosts[0]!.runs(software)
    alice.state = 'gone'
    world.db.exec('DELETE FROM jobs')
    enqueueJob(world.db, 'follows', world.uid(alice))
    world.backfill.start()
    const attempts = world.db.prepare("SELECT attempts FROM jobs WHERE kind = 'follows'").pluck()
    await until(() => Number(attempts.get()) > 0)
    expect(rows(alice)).toEqual(before)
  },
)
