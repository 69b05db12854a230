// What cached views forget, one change at a time, in situations that chance rarely reaches.

import { afterEach, expect, test, vi } from 'vitest'
import { ABSENT, CACHED, dependency } from '../../../src/answers/cache/cached-view.ts'
import { CachedViews } from '../../../src/answers/cache/cached-views.ts'
import { makeItems, makePosts } from '../../../src/answers/cache/make-views.ts'
import { createViewCache } from '../../../src/answers/cache/view-cache.ts'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { asEveryone, createReader, type MissingSet } from '../../../src/answers/hydrate/reader.ts'
import { jsonBytes } from '../../../src/answers/views/json/ready-json.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { cardOfPost } from '../../../src/base/atproto/at-uri.ts'
import { InvalidationReader } from '../../../src/data/shared-memory/invalidation-ring.ts'
import { postItem, repostItem } from '../../../src/data/store/timelines/item-ids.ts'
import { cardEmbed, PUBLICATION, publicationRecord } from '../../support/long-form.ts'
import { cidOf } from '../../support/records.ts'
import { referenceUrlPatterns } from '../../support/reference-appview.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'

const worlds: World[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const world of worlds.splice(0)) world.dispose()
})

/** `look` returns the post as `viewer` sees it now; only changed parts are read again. */
function start() {
  const world = createWorld({ scope: 'network', members: ['alice', 'bob'] })
  worlds.push(world)
  const [alice, bob] = [world.account('alice'), world.account('bob')]
  const { reader: db, actors, graph, invalidations } = world
  const urls = createMediaUrls(referenceUrlPatterns)
  const requested: MissingSet[] = []
  const reads: string[] = []
  const hydrator = createHydrator({ db, actors, graph, urls })
  const note = (on: object, name: string, read: unknown) => {
    if (typeof read !== 'function') return
    Object.assign(on, {
      [name]: (...parts: never[]) => {
        reads.push(name)
        return read(...parts)
      },
    })
  }
  for (const [name, read] of Object.entries(hydrator)) note(hydrator, name, read)
  note(hydrator.knownLikers, 'lists', hydrator.knownLikers.lists)
  const viewCache = createViewCache({
    hydrator,
    invalidations: new InvalidationReader(invalidations.buffer),
    maxBytes: 96 << 20,
  })
  const idOf = ({ uri }: RecordId) =>
    db
      .prepare<[string], number>('SELECT max(id) FROM posts WHERE uid = ? AND state = 1')
      .pluck()
      .get(world.uid(uri.split('/')[2]!) as never)!
  const look = (post: RecordId, viewer = bob) => {
    const reader = createReader({ did: viewer, uid: world.uid(viewer) })
    const [view] = viewCache.posts([idOf(post)], reader)
    requested.push(reader.missing)
    return JSON.parse(jsonBytes(view ?? {}).toString())
  }
  return { world, alice, bob, hydrator, viewCache, look, asked: requested, reads }
}

test('a page shown before runs no queries, and after a like only those for counts and likers', () => {
  const { world, alice, bob, viewCache, reads } = start()
  for (const did of [alice, bob]) world.profile(did, { displayName: 'somebody' })
  world.follow(bob, alice)
  const root = world.post(alice, { facets: [] })
  world.post(bob, { reply: { parent: root } })
  world.post(bob, { quote: root })
  world.repost(bob, root)
  const items = [postItem(1), postItem(2), postItem(3), repostItem(1)]
  const viewer = createReader({ did: bob, uid: world.uid(bob) })
  const first = viewCache.items(items, viewer)
  expect(first.filter((view) => view !== undefined).length).toBe(4)
  expect(new Set(reads)).toEqual(new Set(['feed', 'relations', 'postViewers', 'posts', 'lists']))
  reads.length = 0
  expect(viewCache.items(items, viewer)).toEqual(first)
  expect(reads).toEqual([])
  world.like(alice, root)
  expect(viewCache.items(items, viewer)).not.toEqual(first)
  expect(reads).toEqual(['lists', 'postCounts'])
  reads.length = 0
  // Nobody who reads here follows them, so no list changes.
  world.like(world.account('stranger'), root)
  viewCache.items(items, viewer)
  expect(reads).toEqual(['postCounts'])
})

test('a gate admits its owner’s follows as soon as they are followed', () => {
  const { world, alice, bob, look } = start()
  const post = world.post(alice)
  world.threadgate(post, [{ $type: 'app.bsky.feed.threadgate#followingRule' }])
  expect(look(post).viewer).toMatchObject({ replyDisabled: true })
  const follow = world.follow(alice, bob)
  expect(look(post).viewer).toMatchObject({ replyDisabled: false })
  world.delete(follow)
  expect(look(post).viewer).toMatchObject({ replyDisabled: true })
})

test('a gate for a list admits new list members, and shows the list once it exists', () => {
  const { world, alice, bob, look } = start()
  const uri = `at://${alice}/app.bsky.graph.list/3kaaaaaaaaaaa`
  const post = world.post(alice)
  world.threadgate(post, [{ $type: 'app.bsky.feed.threadgate#listRule', list: uri }])
  expect(look(post)).toMatchObject({ viewer: { replyDisabled: true }, threadgate: { lists: [] } })
  const record = { name: 'friends', purpose: 'app.bsky.graph.defs#curatelist' }
  const list = world.create(alice, 'app.bsky.graph.list', record, '3kaaaaaaaaaaa')
  expect(look(post).threadgate.lists).toMatchObject([{ name: 'friends', listItemCount: 0 }])
  world.listItem(alice, list, bob)
  expect(look(post)).toMatchObject({
    viewer: { replyDisabled: false },
    threadgate: { lists: [{ listItemCount: 1 }] },
  })
})

test('only the viewer sees their own acts on a post', () => {
  const { world, alice, bob, look } = start()
  const post = world.post(alice)
  expect(look(post).viewer.like).toBeUndefined()
  const like = world.like(bob, post)
  expect(look(post)).toMatchObject({ likeCount: 1, viewer: { like: like.uri } })
  expect(look(post, alice).viewer.like).toBeUndefined()
  world.delete(like)
  expect(look(post).likeCount).toBe(0)
  expect(look(post).viewer.like).toBeUndefined()
})

test('only the author sees what is pinned', () => {
  const { world, alice, look } = start()
  const post = world.post(alice)
  expect(look(post, alice).viewer.pinned).toBeUndefined()
  world.profile(alice, { pinnedPost: post })
  expect(look(post, alice).viewer.pinned).toBe(true)
  expect(look(post).viewer.pinned).toBeUndefined()
})

test('an account without a profile is queried with each answer that shows it, until the profile exists', () => {
  const { world, alice, look, asked: requested } = start()
  const post = world.post(alice)
  look(post)
  look(post)
  expect(requested.map(({ dids }) => [...dids])).toEqual([[alice], [alice]])
  world.profile(alice, { displayName: 'Alice' })
  world.handle(alice, 'alice.test')
  requested.length = 0
  expect(look(post).author).toMatchObject({ displayName: 'Alice', handle: 'alice.test' })
  expect(requested.every(({ isEmpty }) => isEmpty)).toBe(true)
})

test('a link card is cached, and follows its record and its writer', () => {
  const { world, alice, look, asked: requested, reads } = start()
  const writer = world.account('writer')
  world.profile(writer, { displayName: 'the writer' })
  world.handle(writer, 'writer.test')
  world.profile(alice, {})
  world.handle(alice, 'alice.test')
  const write = { did: writer, collection: PUBLICATION, rkey: 'self' }
  const record = publicationRecord()
  const uri = `at://${writer}/${PUBLICATION}/self`
  const cid = cidOf([writer, 'self', { $type: PUBLICATION, ...record }])
  const embed = cardEmbed([{ uri, cid }], { uri: record['url'] })
  const post = world.post(alice, { embed })
  const card = () => look(post).embed.external
  for (const _ of ['made', 'cached']) {
    expect(card().source).toBeUndefined()
    expect([...requested.at(-1)!.cards]).toEqual([cardOfPost(post.uri)])
  }
  world.write({ ...write, record })
  expect(card().source).toMatchObject({ title: record['name'] })
  reads.length = 0
  expect(card().associatedProfiles).toMatchObject([{ displayName: 'the writer' }])
  expect([reads, requested.at(-1)!.isEmpty, requested.at(-1)!.cards.size]).toEqual([[], true, 0])
  world.profile(writer, { displayName: 'renamed' })
  expect(card().associatedProfiles).toMatchObject([{ displayName: 'renamed' }])
  world.delete({ uri, cid })
  expect(card().source).toBeUndefined()
})

test('known likers that were written twice follow their names, blocks and likes', () => {
  const { world, alice, bob, viewCache } = start()
  const [carol, dave] = [world.account('carol'), world.account('dave')]
  for (const did of [carol, dave]) world.profile(did, { displayName: did })
  world.handle(carol, 'carol.test')
  world.handle(dave, 'dave.test')
  for (const did of [carol, dave]) world.follow(bob, did)
  const post = world.post(alice)
  const likes = [carol, dave].map((did) => world.like(did, post))
  const known = () => {
    const look = () => {
      const reader = createReader({ did: bob, uid: world.uid(bob) })
      const [view] = viewCache.posts([1], reader, { knownLikers: 'all' })
      return JSON.parse(jsonBytes(view).toString()).viewer.knownLikers
    }
    const { count, actors } = look()
    for (let again = 0; again < 3; again++) expect(look()).toEqual({ count, actors })
    return [count, ...actors.map(({ displayName }: { displayName: string }) => displayName)]
  }
  expect(known()).toEqual([2, dave, carol])
  world.profile(carol, { displayName: 'renamed' })
  expect(known()).toEqual([2, dave, 'renamed'])
  const block = world.block(alice, dave)
  expect(known()).toEqual([2, 'renamed'])
  world.delete(block)
  expect(known()).toEqual([2, dave, 'renamed'])
  const own = world.block(dave, bob)
  expect(known()).toEqual([2, 'renamed'])
  world.delete(own)
  world.delete(likes[0]!)
  expect(known()).toEqual([1, dave])
})

test('relations to authors and to their known likers are read at once', () => {
  const { world, alice, bob, viewCache, reads } = start()
  const likers = [world.account('carol'), world.account('dave')]
  for (const did of likers) world.follow(bob, did)
  const post = world.post(alice)
  for (const did of likers) world.like(did, post)
  const reader = createReader({ did: bob, uid: world.uid(bob) })
  const [view] = viewCache.posts([1], reader, { knownLikers: 'all' })
  expect(JSON.parse(jsonBytes(view).toString()).viewer.knownLikers.count).toBe(2)
  const read = (name: string) => reads.filter((each) => each === name)
  expect([read('relations'), read('blocks')]).toEqual([['relations'], ['blocks']])
})

test('a status is cached until it ends, and its owner sees more of it', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { world, alice, bob, viewCache, look, reads } = start()
  vi.setSystemTime(world.now())
  const post = world.post(alice)
  const status = { status: 'live', durationMinutes: 10, createdAt: world.isoNow() }
  const write = { did: alice, collection: 'app.bsky.actor.status', rkey: 'self', record: status }
  world.write({ ...write, operation: 'update' })
  expect(look(post).author.status).toMatchObject({ isActive: true })
  reads.length = 0
  expect(look(post).author.status).toMatchObject({ isActive: true })
  expect(reads).toEqual([])
  expect(look(post, alice).author.status).toMatchObject({ isActive: true, isDisabled: false })
  expect(look(post).author.status.isDisabled).toBeUndefined()
  vi.setSystemTime(world.now() + 11 * 60_000)
  expect(look(post).author.status).toMatchObject({ isActive: false })
  const reader = createReader({ did: bob, uid: world.uid(bob) })
  const [profile] = viewCache.profiles([world.uid(alice)], reader)
  expect(jsonBytes(profile).toString()).toContain('"isActive":false')
})

test('of the views made together, each names only the accounts that it shows', () => {
  const { world, alice, bob, hydrator } = start()
  world.post(alice)
  world.post(alice, { quote: world.post(bob) })
  const [plain, quoting] = [1, 3]
  const everyone = asEveryone(createReader({ did: bob, uid: world.uid(bob) }))
  const views = new CachedViews(1 << 20)
  makePosts(views, hydrator.posts([plain, quoting], everyone), [plain, quoting])
  expect(views.get(CACHED.post, plain)!.withoutBlocks).toEqual([])
  expect(views.get(CACHED.post, quoting)!.withoutBlocks).toEqual([world.uid(bob)])
})

test('an item depends also on what only its facts are read from', () => {
  const { world, alice, bob, hydrator } = start()
  const root = world.post(alice)
  world.threadgate(root, [])
  // A reply that the gate forbids is shown without what it replies to.
  world.post(bob, { reply: { root, parent: world.post(bob, { reply: { parent: root } }) } })
  const [parent, reply] = [2, 3]
  const everyone = asEveryone(createReader({ did: alice, uid: world.uid(alice) }))
  const views = new CachedViews(1 << 20)
  const items = [postItem(reply)]
  makeItems(views, hydrator.feed(items, everyone), { kind: CACHED.item, items })
  const { facts, dependencies } = views.get(CACHED.item, postItem(reply))!
  expect(facts).toMatchObject({ parentAuthor: world.uid(bob), grandparentAuthor: world.uid(alice) })
  expect(dependencies).toContain(dependency.post(parent))
})

test('dependencies of a cached view are known in both generations', () => {
  const views = new CachedViews(20_000)
  const cachedView = { ...ABSENT, showing: 'shown' as const, pieces: ['x'.repeat(1_000)] }
  views.add(CACHED.item, 2, { ...cachedView, dependencies: [dependency.post(900)] })
  for (let id = 1; id < 9; id++) views.add(CACHED.post, id, cachedView)
  // The first is now in the older generation, and all later entries are in the younger.
  views.forgetDependents(dependency.post(900))
  expect(views.get(CACHED.item, 2)).toBeUndefined()
  expect(views.get(CACHED.post, 8)).toBe(cachedView)
  expect(views.bytes).toBeLessThanOrEqual(20_000)
})
