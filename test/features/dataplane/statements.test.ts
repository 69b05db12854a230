// A call for many subjects runs only a few statements, however many subjects it names: ten times as many take
// at most one or two more. There are no caches between calls here. A call for thousands is answered in
// slices, with the same result as separate calls.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FILE_NAME } from '../../../src/data/store/db.ts'
import { didOf } from '../../support/records.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'
import { startCallsOver } from './dataplane-world.ts'

const FEW = 10
const MANY = 100
const vera = didOf('vera')
const people = Array.from({ length: MANY }, (_, i) => didOf(`person-${i}`))

type Made = Record<
  'posts' | 'likes' | 'reposts' | 'follows' | 'blocks' | 'lists' | 'items' | 'listBlocks',
  string[]
>

let world: World
let db: Database.Database
let dataplane: Awaited<ReturnType<typeof startCallsOver>>
let made: Made
/** The URI of Vera's post. */
let hers = ''
let statements = 0

/** Every kind of act between vera and all others, both ways. */
function fill(): Made {
  const all: Made = {
    posts: [],
    likes: [],
    reposts: [],
    follows: [],
    blocks: [],
    lists: [],
    items: [],
    listBlocks: [],
  }
  const store = (kind: keyof Made, { uri }: RecordId) => all[kind].push(uri)
  const own = world.post(vera)
  hers = own.uri
  for (const [i, did] of people.entries()) {
    world.profile(did)
    world.handle(did, `person-${i}.test`)
    const post = world.post(did)
    store('posts', post)
    world.post(did, { reply: { parent: post } })
    store('likes', world.like(did, own))
    store('reposts', world.repost(did, own))
    store('follows', world.follow(did, vera))
    world.block(did, people[(i + 1) % MANY]!)
    store('blocks', world.block(vera, did))
    const list = world.list(did, 'list', 'app.bsky.graph.defs#referencelist')
    store('lists', list)
    store('items', world.listItem(did, list, vera))
    store('listBlocks', world.listBlock(vera, list))
    world.create(vera, 'app.bsky.graph.referencelistoptout', { subject: list.uri })
    for (const act of [world.like, world.repost]) act(vera, post)
    world.follow(vera, did)
  }
  return all
}

beforeAll(async () => {
  world = createWorld({ scope: 'network', members: ['vera'] })
  world.profile(vera)
  made = fill()
  db = new Database(join(world.dataDir, FILE_NAME), { readonly: true, verbose: () => statements++ })
  dataplane = await startCallsOver(world, db)
})

afterAll(async () => {
  await dataplane.close()
  db.close()
  world.dispose()
})

const uris = (kind: keyof Made) => (count: number) => ({ uris: made[kind].slice(0, count) })
const refs = (count: number) => made.posts.slice(0, count).map((uri) => ({ uri }))
const dids = (count: number) => people.slice(0, count)
const about = (limit: number): object => ({ subject: { uri: hers, cid: '' }, limit })
const page = (limit: number): object => ({ actorDid: vera, limit })

/** Each call's request for `count` subjects. */
const requests: Record<string, (count: number) => object> = {
  getLikeRecords: uris('likes'),
  getRepostRecords: uris('reposts'),
  getFollowRecords: uris('follows'),
  getBlockRecords: uris('blocks'),
  getListRecords: uris('lists'),
  getListItemRecords: uris('items'),
  getListBlockRecords: uris('listBlocks'),
  getPostRecords: (count) => ({ ...uris('posts')(count), includeOpThreadMetadata: true }),
  getInteractionCounts: (count) => ({ refs: refs(count) }),
  getLikesByActorAndSubjects: (count) => ({ actorDid: vera, refs: refs(count) }),
  getRepostsByActorAndSubjects: (count) => ({ actorDid: vera, refs: refs(count) }),
  getBookmarksByActorAndSubjects: (count) => ({ actorDid: vera, ...uris('posts')(count) }),
  getThreadMutesOnSubjects: (count) => ({
    actorDid: vera,
    threadRoots: made.posts.slice(0, count),
  }),
  getKnownLikers: (count) => ({
    actorDid: vera,
    limit: 5,
    subjectUris: made.posts.slice(0, count),
  }),
  getLabels: (count) => ({ subjects: dids(count), issuers: [vera] }),
  getActors: (count) => ({ dids: dids(count), returnAgeAssuranceForDids: dids(count) }),
  getProfileRecords: (count) => ({
    uris: dids(count).map((did) => `at://${did}/app.bsky.actor.profile/self`),
  }),
  getCountsForUsers: (count) => ({ dids: dids(count) }),
  getDidsByHandles: (count) => ({ handles: dids(count).map((_, i) => `person-${i}.test`) }),
  getRelationships: (count) => ({ actorDid: vera, targetDids: dids(count) }),
  getBlockExistence: (count) => ({
    pairs: dids(count).flatMap((did, i) => [
      { a: did, b: vera },
      { a: did, b: people[(i + 1) % MANY]! },
    ]),
  }),
  getActorFollowsActors: (count) => ({ actorDid: vera, targetDids: dids(count) }),
  getFollowsFollowing: (count) => ({ actorDid: vera, targetDids: dids(count) }),
  getListCounts: (count) => ({ refs: made.lists.slice(0, count).map((uri) => ({ uri })) }),
  getListMembership: (count) => ({ actorDid: vera, listUris: made.lists.slice(0, count) }),
  getReferencelistoptoutsByActorAndSubjects: (count) => ({
    actorDid: vera,
    subjectUris: made.lists.slice(0, count),
  }),
  getNotificationPreferences: (count) => ({ dids: dids(count) }),
  getActivitySubscriptionsByActorAndSubjects: (count) => ({
    actorDid: vera,
    subjectDids: dids(count),
  }),
  getFollowers: page,
  getFollows: page,
  getBlocks: page,
  getActorLikes: page,
  getActorReposts: page,
  getNotifications: page,
  getLikesBySubject: about,
  getRepostsBySubject: about,
}

async function statementsOf(name: string, count: number): Promise<number> {
  const request = requests[name]!(count)
  await dataplane.calls[name]!(request)
  statements = 0
  await dataplane.calls[name]!(request)
  return statements
}

/** Statements more, for calls that are made ten subjects at a time, each in a turn of its own. */
const IN_SLICES: Record<string, number> = { getKnownLikers: 18 }

describe('as many statements for a hundred as for ten', () => {
  test.each(Object.keys(requests))('%s', async (name) => {
    const [few, many] = [await statementsOf(name, FEW), await statementsOf(name, MANY)]
    expect(many - few).toBeLessThanOrEqual(IN_SLICES[name] ?? 2)
    expect(few).toBeLessThanOrEqual(15)
  })
})

const TIMES = 7

/** Repeats its lists. */
function repeated(message: object): object {
  const entries = Object.entries(message).map(([name, value]) => {
    const isList = Array.isArray(value) && name !== 'returnAgeAssuranceForDids'
    return [name, isList ? Array.from({ length: TIMES }, () => value).flat() : value]
  })
  return Object.fromEntries(entries)
}

describe('hundreds are answered as one by one', () => {
  const lists = Object.keys(requests).filter((name) => ![page, about].includes(requests[name]!))

  test.each(lists)('%s', async (name) => {
    // Threads may be reported once or more.
    const { opThreads: _one, ...answer } = await dataplane.calls[name]!(requests[name]!(MANY))
    const { opThreads: _more, ...complete } = await dataplane.calls[name]!(
      repeated(requests[name]!(MANY)),
    )
    expect(complete).toEqual(repeated(answer))
  })

  test('and other callers are answered in between', async () => {
    const answered: string[] = []
    const { getPostRecords, ping } = dataplane.calls
    const many = getPostRecords!(repeated(requests['getPostRecords']!(MANY)))
    const item = ping!({})
    await Promise.all([
      many.then(() => answered.push('many')),
      item.then(() => answered.push('one')),
    ])
    expect(answered).toEqual(['one', 'many'])
  })
})
