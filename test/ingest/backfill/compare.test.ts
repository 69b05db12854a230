// Repositories change unheard, in every collection; a comparison then makes the stored records match them.
// The repositories are the oracle.

import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { type Collection, collections } from '../../../src/base/atproto/collections.ts'
import { unpackRkey } from '../../../src/base/atproto/keys.ts'
import { findActor } from '../../../src/data/store/records/actors.ts'
import { findProfile } from '../../../src/data/store/records/profiles.ts'
import { statusCode } from '../../../src/data/store/records/status.ts'
import {
  accountsToRepair,
  compareGap,
  setGapStep,
} from '../../../src/data/store/stream/gap-repair.ts'
import {
  gapCounts,
  insertAccountGap,
  insertGap,
  listGaps,
} from '../../../src/data/store/stream/gaps.ts'
import { leaveGap } from '../../../src/ingest/backfill/settle-gap.ts'
import { missOfAccount } from '../../../src/ingest/indexing/account-gaps.ts'
import { allRules } from '../../../src/ingest/indexing/collections/all-rules.ts'
import { createGapRepair } from '../../../src/ingest/replay/gap-repair.ts'
import { circleOf } from '../../../src/ingest/replay/gap-sweep.ts'
import { type BackfillWorld, refOf, startBackfillWorld } from '../../support/backfill-world.ts'
import { canonicalRows } from '../../support/canonical-rows.ts'
import { until } from '../../support/eventually.ts'
import {
  arroba,
  arrobaRev,
  cocoon,
  inventions,
  pegasus,
  type Software,
} from '../../support/foreign-pds.ts'
import type { PdsAccount, PdsDouble } from '../../support/pds-double.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { tidAt } from '../../support/records.ts'
import { createRepositoryActs } from '../../support/repository-acts.ts'
import { testSeed } from '../../support/seed.ts'
import type { Commit } from '../../support/simulated-network/repository.ts'

let world: BackfillWorld

afterEach(() => world.close())

type Scene = { member: PdsAccount; authors: PdsAccount[]; strangers: PdsAccount[] }

async function setUp(): Promise<Scene> {
  world = await startBackfillWorld({ hosts: 2 })
  const member = await world.person('member')
  const authors = [await world.person('alice'), await world.person('bob', 1)]
  const strangers = [await world.person('carol'), await world.person('dave', 1)]
  world.member(member)
  for (const author of authors) world.live(world.follow(member, author))
  world.backfill.start()
  await world.settled()
  return { member, authors, strangers }
}

/** Performs random acts in all collections; each is delivered with the given chance. */
function actAtRandom({ authors, strangers }: Scene, random: Random) {
  const actOnce = createRepositoryActs({ authors, strangers, random })
  return (count: number, heard: number): void => {
    for (let i = 0; i < count; i++) {
      const commit = actOnce()
      if (commit && random.chance(heard)) world.live(commit)
    }
  }
}

function held(account: PdsAccount, collection: Collection): string[] {
  const uid = world.uid(account)
  const pages = [...allRules[collection].storedKeys(world.db, { uid, size: 50 })]
  return [...new Set(pages.flat().map(unpackRkey))].sort()
}

function expectEqual({ authors, strangers }: Scene): void {
  for (const account of [...authors, ...strangers]) {
    for (const collection of collections) {
      const there = [...(account.collections.get(collection)?.keys() ?? [])].sort()
      const here = held(account, collection)
      const what = `${collection} of ${account.handle}`
      expect(
        here.filter((key) => !there.includes(key)),
        `gone ${what}`,
      ).toEqual([])
      const lowest = here[0]
      const isComplete = authors.includes(account)
      if (!isComplete) continue
      const due =
        collection === 'app.bsky.feed.like' ? there.filter((key) => lowest && key >= lowest) : there
      expect(
        due.filter((key) => !here.includes(key)),
        `missing ${what}`,
      ).toEqual([])
    }
  }
}

/** Checks that the counts match the rows. */
function expectCounted(): void {
  const { likes, reposts, postCounts } = canonicalRows(world.db) as Record<string, string[]>
  const distinct = (rows: string[]) => {
    const counts = new Map<string, Set<string>>()
    for (const row of rows) {
      const [key = '', subject = ''] = row.split(' ')
      if (!counts.has(subject)) counts.set(subject, new Set())
      counts.get(subject)!.add(key.split('/')[0]!)
    }
    return counts
  }
  const [liked, reposted] = [distinct(likes!), distinct(reposts!)]
  for (const row of postCounts!) {
    const [post = '', likeCount, repostCount] = row.split(' ')
    expect([post, Number(likeCount)]).toEqual([post, liked.get(post)?.size ?? 0])
    expect([post, Number(repostCount)]).toEqual([post, reposted.get(post)?.size ?? 0])
  }
}

const sync = ({ did, rev }: PdsAccount) =>
  ({ kind: 'sync', did, timeUs: Date.now() * 1000, seq: undefined, rev }) as const

const tick = () => new Promise((resolve) => setTimeout(resolve, 3))

describe('after a sync', () => {
  it('stores an author’s whole repository, and nothing that a stranger deleted', async () => {
    const scene = await setUp()
    const act = actAtRandom(scene, createRandom(testSeed('compare')))
    act(250, 1)
    await world.settled()
    for (let round = 0; round < 3; round++) {
      act(80, 0.3)
      await tick()
      for (const account of [...scene.authors, ...scene.strangers]) world.live(sync(account))
      expect(gapCounts(world.db).open).toBe(4)
      if (round === 1) await world.restart()
      // Meanwhile the stream continues.
      else world.backfill.wake()
      act(20, 1)
      await world.settled()
      expectEqual(scene)
      expectCounted()
      expect(gapCounts(world.db)).toMatchObject({ open: 0, repairing: 0 })
    }
    expect(listGaps(world.db, { limit: 1 })).toMatchObject([{ cause: 'sync', how: 'compared' }])
  })
})

describe('an account that was away', () => {
  it('is compared when it comes back', async () => {
    const scene = await setUp()
    const [alice] = scene.authors as [PdsAccount]
    const post = world.post(alice, 'to be deleted while away')
    world.live(post)
    const base = { kind: 'account', did: alice.did, seq: undefined } as const
    const goneUs = Date.now() * 1000
    world.live({ ...base, timeUs: goneUs, active: false, status: 'deactivated' })
    alice.remove('app.bsky.feed.post', post.rkey, Date.now())
    await tick()
    world.live({ ...base, timeUs: Date.now() * 1000, active: true, status: undefined })
    expect(listGaps(world.db, { limit: 9 })).toMatchObject([
      { cause: 'returned', did: alice.did, fromUs: goneUs, state: 'open' },
    ])
    await world.settled()
    expect(listGaps(world.db, { limit: 9 })).toMatchObject([{ state: 'closed', how: 'compared' }])
    expectEqual(scene)
  })

  it('is there again if its server serves it when it is compared, unless another service hid it', async () => {
    const scene = await setUp()
    const [alice, bob] = scene.authors as [PdsAccount, PdsAccount]
    const timeUs = Date.now() * 1000
    for (const [account, status] of [
      [alice, 'deactivated'],
      [bob, 'takendown'],
    ] as const) {
      const base = { kind: 'account', did: account.did, seq: undefined, timeUs } as const
      world.live({ ...base, active: false, status })
      const gap = { uid: world.uid(account), cause: 'broken-event' } as const
      world.writer.commit((ctx) => missOfAccount(ctx, { ...gap, fromUs: timeUs, toUs: timeUs }))
    }
    await world.settled()
    const statuses = [alice, bob].map((account) => findActor(world.db, world.uid(account))?.status)
    expect(statuses).toEqual([0, statusCode('takendown')])
  })

  it('stays a gap while its server cannot be read, and is retried a day later', async () => {
    const scene = await setUp()
    const [alice, bob] = scene.authors.map((author) => world.uid(author)) as [number, number]
    const { db } = world
    const now = Date.now()
    const rest = { priority: 60, attempts: 12, stamp: 0 }
    insertAccountGap(db, { uid: alice, cause: 'sync', fromUs: 0, toUs: 1 }, now)
    leaveGap(db, { ...rest, kind: 'repo', subject: alice }, now)
    const from = { host: 'wss://a', fromUs: 1, toUs: 2, cause: 'cursor-too-old' } as const
    setGapStep(db, insertGap(db, from, now), { step: 'compare', reached: bob })
    leaveGap(db, { ...rest, kind: 'check', subject: bob }, now)
    expect(listGaps(db, { limit: 9 })).toMatchObject([
      { cause: 'unreachable', did: scene.authors[1]!.did, fromUs: 1, toUs: 2, state: 'open' },
      { cause: 'cursor-too-old', state: 'repairing', compared: 1, unreachable: 1 },
      { cause: 'sync', did: scene.authors[0]!.did, state: 'open' },
    ])
    expect(accountsToRepair(db, now + 60_000, 9)).toEqual([])
    expect(accountsToRepair(db, now + 90_000_000, 9).sort()).toEqual([alice, bob].sort())
  })
})

describe('an account that moved', () => {
  it('is compared with its new server', async () => {
    const scene = await setUp()
    const [alice] = scene.authors as [PdsAccount]
    const [lost, stored] = [world.post(alice, 'not taken along'), world.post(alice, 'kept')]
    world.live(lost, stored)
    const [from, to] = world.hosts as [PdsDouble, PdsDouble]
    const moved = to.create({ did: alice.did, handle: alice.handle })
    const { value } = alice.collections.get('app.bsky.feed.post')!.get(stored.rkey)!
    moved.put({ collection: 'app.bsky.feed.post', rkey: stored.rkey, value, atMs: Date.now() })
    world.plc.edit(alice.did, (document) => {
      return JSON.parse(JSON.stringify(document).replaceAll(from.origin, to.origin))
    })
    await tick()
    const timeUs = Date.now() * 1000
    world.live({ kind: 'identity', did: alice.did, timeUs, seq: undefined, handle: undefined })
    await world.settled()
    expect(listGaps(world.db, { limit: 9 })).toMatchObject([
      { cause: 'moved', did: alice.did, state: 'closed', how: 'compared' },
    ])
    expect(held(alice, 'app.bsky.feed.post')).toEqual([stored.rkey])
  })
})

describe('a gap that no host can replay', () => {
  it('checks unchanged accounts with one request, and compares the others', async () => {
    const scene = await setUp()
    const [alice, bob] = scene.authors as [PdsAccount, PdsAccount]
    const posts = [world.post(alice, 'kept'), world.post(alice, 'deleted unheard')]
    world.live(...posts, world.post(bob, 'kept'))
    await world.settled()
    alice.remove('app.bsky.feed.post', posts[1]!.rkey, Date.now())
    world.db.exec("DELETE FROM backfills WHERE what = 'repo'")
    const requested: string[] = []
    for (const host of world.hosts) {
      host.onRequest(({ method, query }) => {
        requested.push(`${method.split('.').at(-1)} ${query['repo'] ?? query['did']}`)
      })
    }
    const nowUs = Date.now() * 1000
    const from = { host: 'wss://a', fromUs: nowUs - 7_200_000_000, toUs: nowUs - 3_600_000_000 }
    compareGap(world.db, insertGap(world.db, { ...from, cause: 'cursor-too-old' }, Date.now()))
    const repair = startSweeping()
    await until(() => gapCounts(world.db).open + gapCounts(world.db).repairing === 0)
    await repair.stop()
    expect(listGaps(world.db, { limit: 9 })).toMatchObject([
      { state: 'closed', how: 'compared', compared: 3, unreachable: 0 },
    ])
    expectEqual(scene)
    expect(requested.filter((value) => value.endsWith(bob.did))).toEqual([
      `getLatestCommit ${bob.did}`,
    ])
  })

  it('compares accounts whose server was set back to before the gap', async () => {
    const { member, authors } = await setUp()
    const early = tidAt(Date.UTC(2020, 0, 1) * 1000)
    const accounts = [member, authors[0]!]
    const lost = accounts.map((account) => {
      world.live(world.post(account, 'in the backup'))
      const later = world.post(account, 'lost with the disk')
      world.live(later)
      return later.rkey
    })
    await world.settled()
    for (const [i, account] of accounts.entries()) {
      account.remove('app.bsky.feed.post', lost[i]!, Date.now())
      Object.assign(account, { rev: early })
    }
    const nowUs = Date.now() * 1000
    const from = { host: 'wss://a', fromUs: nowUs, toUs: nowUs + 1 }
    compareGap(world.db, insertGap(world.db, { ...from, cause: 'outdated-cursor' }, Date.now()))
    const repair = startSweeping()
    await until(() => gapCounts(world.db).open + gapCounts(world.db).repairing === 0)
    await repair.stop()
    for (const [i, account] of accounts.entries()) {
      const [there] = account.collections.get('app.bsky.feed.post')!.keys()
      expect(held(account, 'app.bsky.feed.post'), String(i)).toEqual([there])
    }
  })

  it('restores an account that came back during it, if its server confirms, but none hidden by another service', async () => {
    const scene = await setUp()
    const [alice, bob] = scene.authors as [PdsAccount, PdsAccount]
    const nowUs = Date.now() * 1000
    for (const [{ did }, status] of [
      [alice, 'deactivated'],
      [bob, 'takendown'],
    ] as const) {
      world.live({ kind: 'account', did, seq: undefined, timeUs: nowUs, active: false, status })
    }
    await world.settled()
    const from = { host: 'wss://a', fromUs: nowUs, toUs: nowUs + 1 }
    compareGap(world.db, insertGap(world.db, { ...from, cause: 'cursor-too-old' }, Date.now()))
    const repair = startSweeping()
    await until(() => gapCounts(world.db).open + gapCounts(world.db).repairing === 0)
    await repair.stop()
    const statuses = [alice, bob].map((account) => findActor(world.db, world.uid(account))?.status)
    expect(statuses).toEqual([0, statusCode('takendown')])
  })
})

describe('a gap of an account on a server of another make is repaired, however often it has one', () => {
  const servers: [string, Software][] = [
    ['arroba, whose revisions are of 1970', arroba()],
    ['arroba without getRepo', arroba({ hasNoFile: true })],
    ['arroba without a directory', arroba({ reachesDirectory: false })],
    ['cocoon', cocoon],
    ['pegasus', pegasus],
    ['a server without an order', inventions.scattered],
  ]

  it.each(servers)('%s', async (name, software) => {
    const scene = await setUp()
    for (const host of world.hosts) host.runs(software)
    const [alice] = scene.authors as [PdsAccount]
    const live = (commit: Commit) =>
      world.live(name.startsWith('arroba') ? { ...commit, rev: arrobaRev(commit.rev) } : commit)
    for (let i = 0; i < 230; i++) live(world.post(alice, `known ${i}`))
    const repair = startSweeping()
    for (const round of ['first', 'second']) {
      const overdue = world.post(alice, `missed in the ${round} gap`, { atMs: Date.now() })
      const keys = held(alice, 'app.bsky.feed.post')
      alice.remove('app.bsky.feed.post', keys.at(-3)!, Date.now())
      const nowUs = Date.now() * 1000
      const gap = {
        host: 'wss://a',
        cause: 'cursor-too-old',
        fromUs: nowUs,
        toUs: nowUs + 1,
      } as const
      compareGap(world.db, insertGap(world.db, gap, Date.now()))
      await until(() => gapCounts(world.db).open + gapCounts(world.db).repairing === 0)
      await world.settled()
      expect(held(alice, 'app.bsky.feed.post')).toContain(overdue.rkey)
      expectEqual(scene)
      await tick()
    }
    await repair.stop()
  })
})

describe('a repository missing when it is to be compared', () => {
  const heldPosts = () =>
    world.db
      .prepare('SELECT count(*) FROM posts WHERE uid = ? AND state = 1')
      .pluck()
      .get(world.uid(gone))
  let gone: PdsAccount

  async function vanish({ isSaidToBeAway = false } = {}): Promise<void> {
    const scene = await setUp()
    gone = scene.authors[0]!
    const post = world.post(gone, 'hello')
    const liking = scene.strangers[0]!
    world.live(post, like(liking, post), like(gone, world.post(scene.authors[1]!, 'liked')))
    gone.state = 'gone'
    const base = { kind: 'account', did: gone.did, seq: undefined } as const
    const atUs = Date.now() * 1000
    if (isSaidToBeAway) world.live({ ...base, timeUs: atUs, active: false, status: 'deactivated' })
    world.live(sync(gone))
    await world.settled()
  }

  const like = (account: PdsAccount, post: Commit) => {
    world.live(post)
    const value = { subject: refOf(post), createdAt: new Date().toISOString() }
    return account.put({ collection: 'app.bsky.feed.like', value, atMs: Date.now() })
  }

  it('leaves no records, and its account is hidden', async () => {
    await vanish()
    expect(heldPosts()).toBe(0)
    expect(findActor(world.db, world.uid(gone))?.status).toBe(statusCode('deleted'))
    expect(findProfile(world.db, world.uid(gone))).toBeUndefined()
    expectCounted()
    expect(listGaps(world.db, { limit: 1 })).toMatchObject([{ cause: 'sync', state: 'closed' }])
  })

  it('leaves none either where its account was just said to be away', async () => {
    await vanish({ isSaidToBeAway: true })
    expect(heldPosts()).toBe(0)
    expect(findActor(world.db, world.uid(gone))?.status).toBe(statusCode('deleted'))
    expectCounted()
  })

  it('is restored completely once one of its events arrives', async () => {
    await vanish()
    gone.state = 'active'
    await tick()
    world.live(world.post(gone, 'the server was mistaken'))
    await world.settled()
    expect(findActor(world.db, world.uid(gone))?.status).toBe(0)
    expect(heldPosts()).toBe(2)
  })

  it('changes nothing for a member', async () => {
    const { member } = await setUp()
    world.live(world.post(member, 'hello'))
    member.state = 'gone'
    world.live(sync(member))
    await world.settled()
    expect(findActor(world.db, world.uid(member))?.status).toBe(0)
  })
})

function startSweeping() {
  const repair = createGapRepair({
    db: world.db,
    writer: world.writer,
    log: pino({ level: 'silent' }),
    now: Date.now,
    onApplied: () => undefined,
    stream: { hosts: [], wire: 'v2', compress: false, v1Dictionary: '', cacheDir: '' },
    filters: () => ({ collections, dids: undefined }),
    unread: [],
    head: () => undefined,
    circle: circleOf(world.memory.actors),
    onJobs: () => world.backfill.wake(),
    limits: { lookEveryMs: 10 },
  })
  repair.start()
  return repair
}
