// Each kind of job through the runner, on real servers: what it fetches, and what it does where there is
// nothing to fetch.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packRkey, unpackCid } from '../../../src/base/atproto/keys.ts'
import { blockEdges } from '../../../src/data/store/edges/all-edges.ts'
import type { JobKind } from '../../../src/data/store/fetching/job-kinds.ts'
import { enqueueJob } from '../../../src/data/store/fetching/jobs.ts'
import { hiddenFromRecommendations } from '../../../src/data/store/read/accounts/content-visibility.ts'
import { findActor } from '../../../src/data/store/records/actors.ts'
import { type BackfillWorld, refOf, startBackfillWorld } from '../../support/backfill-world.ts'
import { until } from '../../support/eventually.ts'
import { type PdsAccount, startPdsDouble } from '../../support/pds-double.ts'
import { didOf } from '../../support/records.ts'

const POST = 'app.bsky.feed.post'

let world: BackfillWorld
let clockAheadMs: number
let member: PdsAccount
let alice: PdsAccount
let bob: PdsAccount

/** The member follows Alice; Bob is unknown. No job waits. */
beforeEach(async () => {
  clockAheadMs = 0
  world = await startBackfillWorld({ hosts: 2, now: () => Date.now() + clockAheadMs })
  member = await world.person('member')
  alice = await world.person('alice')
  bob = await world.person('bob', 1)
  world.member(member)
  world.live(world.follow(member, alice))
  world.db.exec('DELETE FROM jobs')
  world.backfill.start()
})

afterEach(() => world.close())

async function run(kind: JobKind, subject: number): Promise<void> {
  enqueueJob(world.db, kind, subject)
  world.backfill.wake()
  await world.settled()
}

function get<T>(sql: string, ...parameters: unknown[]): T {
  return world.db
    .prepare<unknown[], T>(sql)
    .pluck()
    .get(...parameters) as T
}

const countOf = (table: string) => get<number>(`SELECT count(*) FROM ${table}`)

const stateOf = (post: { rkey: string }) =>
  get<number>('SELECT state FROM posts WHERE rkey = ?', packRkey(post.rkey))

describe('a post known only by reference', () => {
  it('is fetched, with its author’s name and profile', async () => {
    const post = world.post(bob, 'worth a reply')
    const reply = { root: refOf(post), parent: refOf(post) }
    world.live(world.post(alice, 'a reply', { record: { reply } }))
    expect(stateOf(post)).toBe(0)
    await world.settled()
    expect(stateOf(post)).toBe(1)
    const actor = findActor(world.db, world.uid(bob))
    expect(actor).toMatchObject({ handle: 'bob.example.com', handle_valid: 1 })
    expect(get('SELECT count(*) FROM profiles WHERE uid = ?', world.uid(bob))).toBe(1)
  })

  it('comes with its author’s wish not to be recommended, made before anything of theirs was here', async () => {
    const collection = 'app.bsky.actor.contentVisibilityDeclaration'
    const value = { $type: collection, hideFromAlgorithmicRecommendations: true }
    bob.put({ collection, rkey: 'self', value, atMs: Date.now() })
    const post = world.post(bob, 'worth a reply')
    const reply = { root: refOf(post), parent: refOf(post) }
    world.live(world.post(alice, 'a reply', { record: { reply } }))
    const uid = world.uid(bob)
    expect(hiddenFromRecommendations(world.db, [uid]).size).toBe(0)
    await world.settled()
    expect(stateOf(post)).toBe(1)
    expect([...hiddenFromRecommendations(world.db, [uid])]).toEqual([uid])
  })

  it('is left to the stream if a member has just posted it', async () => {
    const post = world.post(member, 'mine', { atMs: Date.now() })
    const reply = { root: refOf(post), parent: refOf(post) }
    world.live(world.post(alice, 'a reply', { record: { reply } }))
    // A running job is leased for minutes, and a finished one is deleted.
    const waitsMs = () =>
      get<number>("SELECT not_before FROM jobs WHERE kind = 'post'") - Date.now()
    await expect.poll(() => waitsMs() > 0 && waitsMs() < 60_000).toBe(true)
    expect(stateOf(post)).toBe(0)
    world.live(post)
    expect(stateOf(post)).toBe(1)
  })

  it('counts as looked up if its repository has no such record', async () => {
    const post = world.post(bob)
    bob.remove(POST, post.rkey, Date.now())
    world.live(world.repost(alice, post))
    await world.settled()
    expect(stateOf(post)).toBe(3)
  })

  it.each(['gone', 'deactivated', 'takendown'] as const)(
    'counts as looked up if Bob is %s',
    async (state) => {
      const post = world.post(bob)
      world.live(world.repost(alice, post))
      bob.state = state
      await world.settled()
      expect(stateOf(post)).toBe(3)
      // An account unknown both here and on its own server is not shown.
      const status = { gone: 1, deactivated: 1, takendown: 3 }[state]
      expect(findActor(world.db, world.uid(bob))?.status).toBe(status)
    },
  )

  it('is shown again once the stream says so, although our clock was hours ahead', async () => {
    clockAheadMs = 3 * 3_600_000
    const post = world.post(bob)
    world.live(world.repost(alice, post))
    bob.state = 'deactivated'
    await world.settled()
    expect(findActor(world.db, world.uid(bob))?.status).toBe(1)
    const returned = { kind: 'account', did: bob.did, active: true, status: undefined } as const
    world.live({ ...returned, timeUs: Date.now() * 1000, seq: undefined })
    expect(findActor(world.db, world.uid(bob))?.status).toBe(0)
  })

  it('counts as looked up if its author does not exist', async () => {
    const post = world.post(bob)
    world.plc.edit(bob.did, () => undefined)
    world.live(world.repost(alice, post))
    await world.settled()
    expect(stateOf(post)).toBe(3)
  })

  it('stays unknown if its PDS lies about it', async () => {
    const post = world.post(bob)
    world.hosts[1]!.misbehave({ method: 'getRecord', collection: POST, how: 'lying-cid' })
    world.live(world.repost(alice, post))
    const attempts = world.db.prepare("SELECT attempts FROM jobs WHERE kind = 'post'").pluck()
    await until(() => attempts.get() !== 0)
    expect(stateOf(post)).toBe(0)
  })

  it('is found at the PDS that its author moved to', async () => {
    world.live(world.repost(alice, world.post(bob)))
    await world.settled()
    const newHome = await startPdsDouble()
    const moved = newHome.create({ did: bob.did, handle: bob.handle })
    const post = moved.put({
      collection: POST,
      value: { text: 'moved', createdAt: new Date().toISOString() },
      atMs: Date.now(),
    })
    bob.state = 'deactivated'
    world.plc.edit(bob.did, (document) => ({
      ...document,
      service: [
        { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: newHome.origin },
      ],
    }))
    world.live(world.repost(alice, post))
    await world.settled()
    expect(stateOf(post)).toBe(1)
    expect(findActor(world.db, world.uid(bob))?.status).toBe(0)
    await newHome.close()
  })
})

describe('a feed', () => {
  it('is compared as far down as it was read, and left unchanged below', async () => {
    const posts = Array.from({ length: 150 }, (_, i) => world.post(alice, `post ${i}`))
    world.live(...posts)
    await world.settled()
    const [old, recent] = [posts[10]!, posts[120]!]
    for (const { rkey } of [old, recent]) alice.remove(POST, rkey, Date.now())
    await run('feed', world.uid(alice))
    expect(stateOf(recent)).toBe(2)
    expect(stateOf(old)).toBe(1)
    const present = 'SELECT count(*) FROM posts WHERE uid = ? AND state = 1'
    expect(get(present, world.uid(alice))).toBe(149)
  })
})

describe('an identity', () => {
  it('is not taken from a stale cached directory entry', async () => {
    const name = (handle: string) =>
      world.plc.edit(alice.did, (document) => ({ ...document, alsoKnownAs: [`at://${handle}`] }))
    name('former.example.com')
    await run('feed', world.uid(alice))
    name('alice.example.com')
    await run('identity', world.uid(alice))
    const actor = findActor(world.db, world.uid(alice))
    expect(actor).toMatchObject({ handle: 'alice.example.com', handle_valid: 1 })
  })

  it('is looked up again after an identity event', async () => {
    await run('identity', world.uid(alice))
    expect(findActor(world.db, world.uid(alice))?.handle).toBe('alice.example.com')
    world.plc.edit(alice.did, (document) => ({
      ...document,
      alsoKnownAs: ['at://impostor.example.com'],
    }))
    world.live({ kind: 'identity', did: alice.did, timeUs: 1, seq: undefined, handle: undefined })
    await world.settled()
    const actor = findActor(world.db, world.uid(alice))
    expect(actor?.handle).toBe('impostor.example.com')
    expect(actor?.handle_valid).toBe(0)
  })

  it('is looked up once per event, and not taken from the cache once renewals are limited', async () => {
    await run('identity', world.uid(alice))
    const hits = world.plc.hits(alice.did)
    const renamed = async (handle: string) => {
      world.plc.edit(alice.did, (document) => ({ ...document, alsoKnownAs: [`at://${handle}`] }))
      world.live({ kind: 'identity', did: alice.did, timeUs: 1, seq: undefined, handle })
    }
    for (let i = 1; i <= 3; i++) {
      await renamed(`former${i}.example.com`)
      await world.settled()
      expect(world.plc.hits(alice.did) - hits).toBe(i)
    }
    await renamed('alice.example.com')
    const attempts = "SELECT max(attempts) FROM jobs WHERE kind = 'identity'"
    await until(() => Boolean(get<number | null>(attempts)))
    expect(findActor(world.db, world.uid(alice))?.identity_checked_at).toBeNull()
    expect(world.plc.hits(alice.did) - hits).toBe(3)
  })
})

describe('a list', () => {
  it('is fetched with its items, and without those of other lists', async () => {
    const list = (name: string) =>
      bob.put({
        collection: 'app.bsky.graph.list',
        value: {
          name,
          purpose: 'app.bsky.graph.defs#modlist',
          createdAt: new Date().toISOString(),
        },
        atMs: Date.now(),
      })
    const [wanted, other] = [list('wanted'), list('other')]
    for (let i = 0; i < 120; i++) {
      bob.put({
        collection: 'app.bsky.graph.listitem',
        value: {
          subject: didOf(`listed${i}`),
          list: refOf(i % 3 === 0 ? other : wanted).uri,
          createdAt: new Date().toISOString(),
        },
        atMs: Date.now(),
      })
    }
    const value = { subject: refOf(wanted).uri, createdAt: new Date().toISOString() }
    world.live(alice.put({ collection: 'app.bsky.graph.listblock', value, atMs: Date.now() }))
    await world.settled()
    expect(countOf('lists')).toBe(1)
    expect(countOf('list_items')).toBe(80)
  })
})

describe('after a sync', () => {
  it('our rows match the repository', async () => {
    const posts = Array.from({ length: 30 }, (_, i) => world.post(alice, `post ${i}`))
    const follow = world.follow(alice, bob)
    const block = world.block(alice, member)
    world.live(...posts, follow, block)
    await world.settled()
    for (const { rkey } of posts.slice(10, 20)) alice.remove(POST, rkey, Date.now())
    const edited = alice.put({
      collection: POST,
      rkey: posts[3]!.rkey,
      value: { text: 'edited', createdAt: new Date().toISOString() },
      atMs: Date.now(),
    })
    const added = world.post(alice, 'new', { atMs: Date.now() })
    alice.remove('app.bsky.graph.follow', follow.rkey, Date.now())
    alice.remove('app.bsky.graph.block', block.rkey, Date.now())
    const value = { displayName: 'Alice anew' }
    const collection = 'app.bsky.actor.profile'
    const profile = alice.put({ collection, rkey: 'self', value, atMs: Date.now() })
    world.live({ kind: 'sync', did: alice.did, timeUs: 1, seq: undefined, rev: alice.rev })
    await world.settled()
    const uid = world.uid(alice)
    const rows = world.db
      .prepare<[number], Buffer>('SELECT cid FROM posts WHERE uid = ? AND state = 1')
      .pluck()
      .all(uid)
      .map((cid) => unpackCid(cid))
    const expected = [...alice.collections.get(POST)!.values()].map(({ cid }) => cid)
    expect(rows.sort()).toEqual(expected.sort())
    expect(rows).toContain(refOf(edited).cid)
    expect(rows).toContain(refOf(added).cid)
    expect(world.memory.graph.followsCount(uid)).toBe(0)
    expect(blockEdges.hasAny(world.db, uid)).toBe(false)
    expect(unpackCid(get<Buffer>('SELECT cid FROM profiles WHERE uid = ?', uid))).toBe(
      refOf(profile).cid,
    )
    const entries = world.memory.timelines.read(world.uid(member), undefined, 1000)!.entries
    expect(entries).toHaveLength(21)
  })

  it('reads no deeper than the stored records of an author', async () => {
    for (let i = 0; i < 450; i++) world.post(alice, `old ${i}`)
    world.live(world.post(alice, 'new'))
    await world.settled()
    const { requests } = world.hosts[0]!.stats()
    await run('repo', world.uid(alice))
    expect(world.hosts[0]!.stats().requests - requests).toBeLessThan(20)
    expect(get('SELECT count(*) FROM posts WHERE uid = ?', world.uid(alice))).toBeLessThanOrEqual(
      101,
    )
  })
})

describe('a later follow', () => {
  it('does for the new author what the cold start did', async () => {
    for (let i = 0; i < 5; i++) world.post(bob, `post ${i}`)
    world.follow(bob, alice)
    world.live(world.follow(member, bob))
    await world.settled()
    const entries = world.memory.timelines.read(world.uid(member), undefined, 1000)!.entries
    expect(entries.filter(({ originator }) => originator === world.uid(bob))).toHaveLength(5)
    expect(world.memory.graph.has(world.uid(bob), world.uid(alice))).toBe(true)
  })
})

describe('a listing with records that do not match their CIDs', () => {
  let hurry: NodeJS.Timeout
  beforeEach(() => {
    // Retries wait for seconds.
    hurry = setInterval(() => world.db.exec('UPDATE jobs SET not_before = 0'), 50)
  })
  afterEach(() => clearInterval(hurry))

  it('is accepted as far as it is correct, and read again until complete', async () => {
    for (const subject of [bob, member]) world.follow(alice, subject)
    const fault = { method: 'listRecords', did: alice.did, collection: 'app.bsky.graph.follow' }
    world.hosts[0]!.misbehave({ ...fault, how: 'lying-cid', times: 2 })
    await run('follows', world.uid(alice))
    expect(world.memory.graph.followsCount(world.uid(alice))).toBe(2)
  })

  it('is given up if the server keeps lying, and the other records are stored', async () => {
    const post = world.post(alice, 'hello')
    world.repost(alice, world.post(bob))
    const fault = { method: 'listRecords', did: alice.did, collection: POST }
    world.hosts[0]!.misbehave({ ...fault, how: 'lying-cid' })
    await run('feed', world.uid(alice))
    expect([stateOf(post), countOf('reposts')]).toEqual([undefined, 1])
    expect(world.hosts[0]!.stats().byMethod['com.atproto.repo.listRecords']).toBe(5)
  })
})

describe('a failing host', () => {
  it('is backed off from for longer and longer, and the others are not held up', async () => {
    world.hosts[1]!.misbehave({ how: { status: 503 } })
    for (let i = 0; i < 20; i++) world.live(world.repost(alice, world.post(bob, `${i}`)))
    const waiting = world.db
      .prepare("SELECT count(*) FROM jobs WHERE kind = 'post' AND not_before = 0")
      .pluck()
    const requested = () => world.hosts[1]!.stats().byMethod['com.atproto.repo.getRecord'] ?? 0
    await until(() => requested() >= 3 && waiting.get() === 0)
    enqueueJob(world.db, 'profile', world.uid(alice))
    const profile = 'SELECT count(*) FROM profiles WHERE uid = ?'
    await until(() => get(profile, world.uid(alice)) !== 0)
    // Three failures open the circuit; at most four requests were in flight at that time.
    expect(requested()).toBeLessThanOrEqual(7)
  })
})

it('stops at once, however slow the directory is', async () => {
  world.plc.lag(10_000)
  const dids = world.plc.hits()
  enqueueJob(world.db, 'identity', world.uid(alice))
  world.backfill.wake()
  await until(() => world.plc.hits() !== dids)
  await world.backfill.stop()
  expect(get("SELECT attempts FROM jobs WHERE kind = 'identity'")).toBe(0)
})

it('stops at once, however slow the hosts are', async () => {
  world.hosts[0]!.misbehave({ how: 'hang' })
  enqueueJob(world.db, 'follows', world.uid(alice))
  world.backfill.wake()
  await until(() => world.hosts[0]!.stats().requests > 0)
  await world.backfill.stop()
  expect(get("SELECT attempts FROM jobs WHERE kind = 'follows'")).toBe(0)
})
