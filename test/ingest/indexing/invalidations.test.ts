// Every input of a view is invalidated after the commit that changes it: over random histories, every row
// that the writer touches (by triggers) and everything readers can see (by reading it) is compared with the
// published invalidations.

import { describe, expect, it } from 'vitest'
import { packRkey } from '../../../src/base/atproto/keys.ts'
import type { JsonObject, StreamEvent } from '../../../src/base/event.ts'
import { INVALIDATION } from '../../../src/data/shared-memory/invalidation-kinds.ts'
import { InvalidationReader } from '../../../src/data/shared-memory/invalidation-ring.ts'
import { prepareRelations } from '../../../src/data/store/read/relations.ts'
import { markPostMissing } from '../../../src/ingest/indexing/found-posts.ts'
import { applyLabels } from '../../../src/ingest/indexing/label.ts'
import { tellSeedCounts } from '../../support/earlier-acts.ts'
import {
  changedBetween,
  idleInvalidations,
  invalidatedStateReader,
  isChangeInvalidated,
} from '../../support/invalidated-state.ts'
import {
  type InvalidationSet,
  nameOfInvalidation,
  takeInvalidations,
} from '../../support/invalidation-set.ts'
import { privateAct } from '../../support/private-acts.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomHistory, unreliably } from '../../support/random-history.ts'
import { watchTouchedRows } from '../../support/touched-rows.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 211_126)
const EVENTS = Number(process.env['EVENTS'] ?? 400)
const MODLIST = 'app.bsky.graph.defs#modlist'
const CURATELIST = 'app.bsky.graph.defs#curatelist'

/** Acts that random histories lack: gates, lists of all kinds, private state, identities. */
function furtherActs(world: World, random: Random): () => void {
  const people = Array.from({ length: 9 }, (_, i) => world.account(`person-${i}`))
  const made: RecordId[] = []
  const muted: (readonly [string, string])[] = []
  const lists: { did: string; id: RecordId }[] = []
  const known = () => people.filter((did) => world.uid(did) !== 0)
  const keep = (id: RecordId) => void made.push(id)
  const ownPost = () => {
    const did = random.pick(people)
    const posts = world.sent.filter(
      (event) =>
        event.kind === 'commit' &&
        event.operation === 'create' &&
        event.collection === 'app.bsky.feed.post' &&
        event.did === did,
    ) as (StreamEvent & { kind: 'commit'; rkey: string; cid: string })[]
    if (posts.length === 0) return undefined
    const { rkey, cid } = random.pick(posts)
    return { uri: `at://${did}/app.bsky.feed.post/${rkey}`, cid }
  }
  const acts = [
    () => {
      const pair = [random.pick(people), random.pick(people)] as const
      world.mute(...pair)
      muted.push(pair)
    },
    () => {
      if (muted.length > 0) world.unmute(...random.pick(muted))
    },
    () => privateAct(world, random, people),
    () => privateAct(world, random, people),
    () => {
      const did = known().length > 0 ? random.pick(known()) : undefined
      if (did) world.handle(did, `name-${random.below(3)}.test`)
    },
    () => {
      // By few accounts, since changes to the creator of an active list invalidate everything.
      const did = random.pick(people.slice(0, 2))
      const id = world.list(did, 'a list', random.pick([MODLIST, CURATELIST]))
      lists.push({ did, id })
      keep(id)
    },
    () => {
      if (lists.length > 0) keep(world.listBlock(random.pick(people), random.pick(lists).id))
    },
    () => {
      if (lists.length === 0) return
      const { did, id } = random.pick(lists)
      keep(world.listItem(did, id, random.pick(people)))
    },
    () => changeList(world, random, lists),
    () => {
      const post = ownPost()
      if (post) keep(world.threadgate(post, [{ $type: 'app.bsky.feed.threadgate#followingRule' }]))
    },
    () => {
      const post = ownPost()
      if (post) keep(world.postgate(post, { embeddingRules: [] }))
    },
    () => world.delete(`at://${random.pick(people)}/app.bsky.actor.profile/self`),
    () => {
      const last = made.length > 0 ? made.splice(random.below(made.length), 1)[0] : undefined
      if (last) world.delete(last)
    },
    () => {
      const uri = `at://${random.pick(people)}/app.bsky.feed.post/3${'2'.repeat(12)}`
      world.fetched({ uri, record: post(world, random) })
    },
    () => {
      const stub = world.db
        .prepare<[], number>('SELECT id FROM posts WHERE state = 0')
        .pluck()
        .get()
      if (stub !== undefined) world.run((ctx) => markPostMissing(ctx, stub))
    },
    () => world.status(random.pick(people), random.pick(['takendown', 'deleted'] as const)),
    () => {
      const record = { did: 'did:web:feeds.test', displayName: `feed ${random.below(9)}` }
      keep(world.create(random.pick(people), 'app.bsky.feed.generator', record))
    },
    () => {
      const did = random.pick(people)
      const record = { allowIncoming: random.pick(['all', 'none']) }
      keep(world.write({ did, collection: 'chat.bsky.actor.declaration', record, rkey: 'self' }))
    },
    () => {
      const [did, subject] = [random.pick(people), random.pick(people)]
      const record = { subject, handle: 'a.test', displayName: `name ${random.below(9)}` }
      keep(world.create(did, 'app.bsky.graph.verification', record))
    },
    () => {
      const feeds = made.filter(({ uri }) => uri.includes('/app.bsky.feed.generator/'))
      if (feeds.length > 0) keep(world.like(random.pick(people), random.pick(feeds)))
    },
    () => world.status(random.pick(people), 'deleted'),
    () => tellSeedCounts(world, random),
    () => {
      const [src, about] = [random.pick(people), random.pick(people)]
      const post = random.chance(0.5) ? ownPost() : undefined
      // A label of an unknown post is stored, but needs no invalidation.
      const uri = post && hasRow(world, post.uri) ? post.uri : about
      const cts = new Date(world.now()).toISOString()
      const label = { val: random.pick(['a', 'b']), neg: random.chance(0.4), cts }
      const said = { ...label, uri, cid: undefined, exp: undefined }
      if (world.uid(src) !== 0) world.run((ctx) => applyLabels(ctx, src, [said]))
    },
    () => void people.map((did) => world.status(did)),
  ]
  return () => random.pick(acts)()
}

function hasRow(world: World, uri: string): boolean {
  const [, , did, , rkey] = uri.split('/')
  const sql = 'SELECT 1 FROM posts WHERE uid = ? AND rkey = ?'
  return world.db.prepare(sql).get(world.uid(did!), packRkey(rkey!)) !== undefined
}

/** Changes the purpose under the same key, or the list under the same block or membership. */
function changeList(world: World, random: Random, lists: { did: string; id: RecordId }[]): void {
  if (lists.length === 0) return
  const { did, id } = random.pick(lists)
  const collection = 'app.bsky.graph.list'
  const record = {
    ...{ name: 'another', purpose: random.pick([MODLIST, CURATELIST]) },
    createdAt: world.isoNow(),
  }
  world.write({ did, collection, record, rkey: id.uri.split('/').at(-1)!, operation: 'update' })
}

function post(world: World, random: Random): JsonObject {
  const text = `fetched ${random.below(100)}`
  return { $type: 'app.bsky.feed.post', text, createdAt: world.isoNow() }
}

/** A batch that fails after its last event, as on a full disk. */
function failing(events: StreamEvent[]): StreamEvent[] {
  const poison = {
    kind: 'commit',
    get did(): string {
      throw new Error('the disk is full')
    },
  }
  return [...events, poison as unknown as StreamEvent]
}

/** Counts invalidations by kind over a whole history, and the unnecessary ones. */
function createSums() {
  const all = new Map<string, number>()
  const idle = new Map<string, number>()
  const addTo = (sums: Map<string, number>, invalidations: InvalidationSet['invalidations']) => {
    for (const [kind] of invalidations) {
      sums.set(nameOfInvalidation(kind), (sums.get(nameOfInvalidation(kind)) ?? 0) + 1)
    }
  }
  const total = (sums: Map<string, number>) => [...sums.values()].reduce((a, b) => a + b, 0)
  return {
    all,
    add(invalidations: InvalidationSet, changed: string[]) {
      addTo(all, invalidations.invalidations)
      addTo(idle, idleInvalidations(invalidations, changed))
    },
    idleShare: () => total(idle) / total(all),
  }
}

describe.each(['network', 'community'] as const)('a random history, scope %s', (scope) => {
  it(`touches nothing that it does not note (seed ${SEED})`, () => {
    const random = createRandom(SEED)
    const world = createWorld({ scope, members: ['person-0', 'person-1'] })
    try {
      const reader = new InvalidationReader(world.invalidations.buffer)
      const touched = watchTouchedRows(world.db)
      expect(touched.unjudged).toEqual([])
      const actOnce = furtherActs(world, random)
      const readState = invalidatedStateReader(world.reader)
      const events = unreliably(randomHistory(world, random, EVENTS), random)
      const sums = createSums()
      let before = readState()
      let wholes = 0
      for (let at = 0; at < events.length; ) {
        const batch = events.slice(at, at + 1 + random.below(8))
        if (random.chance(0.05)) {
          expect(() => world.apply(failing(batch))).toThrow('the disk is full')
          expect(takeInvalidations(reader)).toMatchObject({ isEverything: true, invalidations: [] })
          touched.takeUninvalidated(takeInvalidations(reader))
        }
        if (random.chance(0.5)) actOnce()
        else {
          world.apply(batch)
          at += batch.length
        }
        const invalidations = takeInvalidations(reader)
        const after = readState()
        const changed = changedBetween(before, after)
        const uninvalidated = changed
          .filter((key) => !isChangeInvalidated(key, invalidations))
          .map((key) => `${key}: ${before.get(key)} → ${after.get(key)}`)
        expect(uninvalidated, JSON.stringify(invalidations.invalidations)).toEqual([])
        expect(touched.takeUninvalidated(invalidations)).toEqual([])
        if (invalidations.isEverything) wholes++
        else sums.add(invalidations, changed)
        before = after
      }
      // Otherwise the history proves little. Posts by programs and records loaded from repositories
      // are no part of such a history.
      const others = new Set(['everything', 'customTimeline', 'backfills'])
      const kinds = Object.keys(INVALIDATION).filter((name) => !others.has(name))
      expect([...sums.all.keys()].sort()).toEqual(kinds.sort())
      expect(wholes).toBeLessThan(events.length / 20)
      expect(sums.idleShare()).toBeLessThan(0.2)
    } finally {
      world.dispose()
    }
  })
})

describe('a relation between two accounts changed by a third', () => {
  function listBlock() {
    const world = createWorld({ scope: 'network' })
    const [blocker, owner, blocked] = ['a', 'b', 'c'].map((name) => world.account(name))
    for (const did of [blocker!, owner!, blocked!]) world.post(did)
    const list = world.list(owner!, 'a list')
    const relation = () =>
      prepareRelations(world.reader)(world.uid(blocker!), [world.uid(blocked!)])[0]![5]
    const reader = new InvalidationReader(world.invalidations.buffer)
    /** Whether an invalidation since the last call names the pair. */
    const isNamed = () => {
      const invalidations = takeInvalidations(reader)
      return (
        invalidations.has(INVALIDATION.relations, world.uid(blocker!)) ||
        invalidations.has(INVALIDATION.relations, world.uid(blocked!))
      )
    }
    return { world, blocker: blocker!, owner: owner!, blocked: blocked!, list, relation, isNamed }
  }

  it('is invalidated when an account blocks by a list, or is added to it', () => {
    const { world, blocker, blocked, list, relation, isNamed } = listBlock()
    isNamed()
    const item = world.listItem(world.account('b'), list, blocked)
    expect(isNamed()).toBe(true)
    const block = world.listBlock(blocker, list)
    expect([relation(), isNamed()]).toEqual([expect.any(Number), true])
    world.delete(block)
    expect([relation(), isNamed()]).toEqual([null, true])
    world.listBlock(blocker, list)
    isNamed()
    world.delete(item)
    expect([relation(), isNamed()]).toEqual([null, true])
    world.dispose()
  })

  it.each([
    ['its creator is hidden', ({ world, owner }) => world.status(owner, 'takendown')],
    ['its creator’s account is gone', ({ world, owner }) => world.status(owner, 'deleted')],
    ['it is deleted', ({ world, list }) => world.delete(list)],
    ['it becomes one to read by', ({ world, owner, list }) => rewrite(world, owner, list)],
  ] as [string, (parts: ReturnType<typeof listBlock>) => void][])(
    'is invalidated when a blocking list stops blocking: %s',
    (_, act) => {
      const parts = listBlock()
      const { world, owner, blocker, blocked, list, relation, isNamed } = parts
      world.listItem(owner, list, blocked)
      world.listBlock(blocker, list)
      expect(relation()).not.toBeNull()
      isNamed()
      act(parts)
      expect([relation(), isNamed()]).toEqual([null, true])
      world.dispose()
    },
  )

  it('is not invalidated by repeating the same status or handle', () => {
    const { world, blocker, owner, blocked, list } = listBlock()
    world.listItem(owner, list, blocked)
    world.listBlock(blocker, list)
    world.status(owner, 'throttled')
    world.handle(owner, 'owner.test')
    const reader = new InvalidationReader(world.invalidations.buffer)
    world.status(owner, 'throttled')
    world.handle(owner, 'owner.test')
    expect(takeInvalidations(reader)).toMatchObject({ isEverything: false, invalidations: [] })
    world.status(owner)
    expect(takeInvalidations(reader)).toMatchObject({
      isEverything: false,
      invalidations: [[INVALIDATION.actor, world.uid(owner), 0]],
    })
    world.dispose()
  })
})

function rewrite(world: World, did: string, list: RecordId): void {
  const record = { name: 'a list', purpose: CURATELIST, createdAt: world.isoNow() }
  const rkey = list.uri.split('/').at(-1)!
  world.write({ did, collection: 'app.bsky.graph.list', record, rkey, operation: 'update' })
}
