// A member's mutes, in every method that shows accounts: muted accounts are left out where the reference
// leaves them out, and marked as muted elsewhere. The expectations below follow the reference's rules; a
// method that shows accounts and has no expectation fails the test.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import { createFeedGeneratorDouble } from '../../support/feed-generator-double.ts'
import { didOf } from '../../support/records.ts'
import { searchable } from '../../support/searching.ts'
import { createServingWorld, type Query, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const [alice, bob, carol, dan, eve, frank] = ['alice', 'bob', 'carol', 'dan', 'eve', 'frank'].map(
  didOf,
) as [string, string, string, string, string, string]
/**
 * Alice mutes Bob directly and Carol by a list, but not Dan. Frank is set up like Alice, and mutes
 * no account.
 */
const muted = [bob, carol]
const others = [bob, carol, dan]

type View = { did: string; viewer?: { muted?: boolean; mutedByList?: { uri: string } } }
type Things = Record<string, RecordId>
type Presented = 'marked' | 'left out'
type Case = { query: (things: Things) => Query; shows: Presented }

const ofEve = () => ({ actor: eve })
const ofPost = (things: Things) => ({ uri: things['post']!.uri })
const nothing = () => ({})
const marked = (query: Case['query']): Case => ({ query, shows: 'marked' })
const leftOut = (query: Case['query']): Case => ({ query, shows: 'left out' })
const each = (things: Things, kind: string) => others.map((did) => things[`${kind} ${did}`]!.uri)

const cases: Record<string, Case> = {
  'actor.getProfiles': marked(() => ({ actors: others })),
  'actor.getSuggestions': leftOut(nothing),
  'actor.searchActors': marked(() => ({ q: 'somebody' })),
  'actor.searchActorsTypeahead': marked(() => ({ q: 'somebody' })),
  'bookmark.getBookmarks': marked(nothing),
  'feed.getActorLikes': marked(() => ({ actor: alice })),
  'feed.getAuthorFeed': leftOut(ofEve),
  'feed.getFeed': leftOut((things) => ({ feed: things['feed']!.uri })),
  'feed.getFeedGenerators': marked((things) => ({ feeds: each(things, 'feed') })),
  'feed.getLikes': marked(ofPost),
  'feed.getListFeed': leftOut((things) => ({ list: things['list']!.uri })),
  'feed.getPosts': marked((things) => ({ uris: each(things, 'post') })),
  'feed.getPostThread': marked(ofPost),
  'feed.getQuotes': marked(ofPost),
  'feed.getRepostedBy': marked(ofPost),
  'feed.getSuggestedFeeds': marked(nothing),
  'feed.getTimeline': leftOut(nothing),
  'feed.searchPosts': marked(() => ({ q: 'words' })),
  'feed.searchPostsV2': marked(() => ({ query: 'words' })),
  'graph.getFollowers': marked(ofEve),
  'graph.getFollows': marked(ofEve),
  'graph.getKnownFollowers': marked(ofEve),
  'graph.getList': marked((things) => ({ list: things['list']!.uri })),
  'graph.getStarterPack': marked((things) => ({ starterPack: things['pack']!.uri })),
  'graph.getStarterPacks': marked((things) => ({ uris: each(things, 'pack') })),
  'graph.getSuggestedFollowsByActor': leftOut(ofEve),
  'graph.searchStarterPacks': marked(() => ({ q: 'pack' })),
  'graph.searchStarterPacksV2': marked(() => ({ q: 'pack' })),
  'labeler.getServices': marked(() => ({ dids: others })),
  'notification.listActivitySubscriptions': marked(nothing),
  'notification.listNotifications': leftOut(nothing),
  'unspecced.getOnboardingSuggestedStarterPacks': marked(nothing),
  'unspecced.getPopularFeedGenerators': marked(nothing),
  'unspecced.getPostThreadV2': leftOut((things) => ({ anchor: things['post']!.uri })),
  'unspecced.getPostThreadOtherV2': marked((things) => ({ anchor: things['post']!.uri })),
  'unspecced.getSuggestedFeeds': marked(nothing),
  'unspecced.getSuggestedOnboardingUsers': leftOut(nothing),
  'unspecced.getSuggestedStarterPacks': marked(nothing),
  'unspecced.getSuggestedUsers': leftOut(nothing),
  'unspecced.getSuggestedUsersForDiscover': leftOut(nothing),
  'unspecced.getSuggestedUsersForExplore': leftOut(nothing),
  'unspecced.getSuggestedUsersForSeeMore': leftOut(nothing),
}

/** Methods queried for each account individually. */
const alone: Record<string, (things: Things, did: string) => Query> = {
  'actor.getProfile': (_, did) => ({ actor: did }),
  'feed.getActorFeeds': (_, did) => ({ actor: did }),
  'feed.getAuthorFeed': (_, did) => ({ actor: did }),
  'feed.getFeedGenerator': (things, did) => ({ feed: things[`feed ${did}`]!.uri }),
  'feed.getPostThread': (things, did) => ({ uri: things[`post ${did}`]!.uri }),
  'graph.getActorStarterPacks': (_, did) => ({ actor: did }),
  'graph.getFollows': (_, did) => ({ actor: did }),
  'graph.getList': (things, did) => ({ list: things[`list ${did}`]!.uri }),
  'graph.getLists': (_, did) => ({ actor: did }),
  'unspecced.getPostThreadV2': (things, did) => ({ anchor: things[`post ${did}`]!.uri }),
}

/** Methods that show only accounts the viewer mutes. */
const onlyMuted = ['graph.getMutes', 'graph.getListMutes']
const withoutMutes: Record<string, string> = {
  'graph.getBlocks': 'of blocked accounts; see below',
  'graph.getListBlocks': 'of blocked lists',
  'graph.getListsWithMembership': 'the viewer’s own lists',
  'graph.getStarterPacksWithMembership': 'the viewer’s own packs',
  'unspecced.getTaggedSuggestions': 'the same for everybody, without views',
  'embed.getEmbedExternalView': 'the authors of an article that the viewer names',
  'unspecced.getTrends':
    'accounts that used a tag, the same for every viewer; as in the reference only blocks count',
}

let w: ServingWorld
const things: Things = {}

function createThings(): void {
  const generators = createFeedGeneratorDouble()
  w = createServingWorld({
    scope: 'network',
    members: ['alice', 'frank'],
    fetch: generators.fetch,
    services: { [generators.did]: generators.services },
  })
  for (const did of [alice, ...others, eve, frank]) {
    w.profile(did, { displayName: 'somebody' })
    w.handle(did, `${did.slice(-6)}.test`)
  }
  const post = w.post(alice, 'a post')
  const byAll = (kind: string, make: (did: string) => RecordId) => {
    for (const did of others) things[`${kind} ${did}`] = make(did)
  }
  const made = (did: string, collection: string, record: object, rkey?: string) =>
    w.create(did, collection, record as never, rkey)
  things['post'] = post
  things['list'] = w.list(eve, 'everybody', 'app.bsky.graph.defs#curatelist')
  const reference = w.list(eve, 'people', 'app.bsky.graph.defs#referencelist')
  const modlist = w.list(eve, 'bad people')
  things['modlist'] = modlist
  w.listItem(eve, modlist, carol)
  const feed = { did: generators.did, displayName: 'words' }
  things['feed'] = made(eve, 'app.bsky.feed.generator', feed)
  things['pack'] = made(eve, 'app.bsky.graph.starterpack', { name: 'pack', list: reference.uri })
  byAll('feed', (did) => made(did, 'app.bsky.feed.generator', feed))
  byAll('list', (did) => w.list(did, 'mine', 'app.bsky.graph.defs#curatelist'))
  byAll('pack', (did) => {
    const list = w.list(did, 'people', 'app.bsky.graph.defs#referencelist')
    return made(did, 'app.bsky.graph.starterpack', { name: 'pack', list: list.uri })
  })
  byAll('post', (did) => w.post(did, 'words'))
  for (const did of others) {
    const theirs = things[`post ${did}`]!
    const policies = { labelValues: [] }
    made(did, 'app.bsky.labeler.service', { policies }, 'self')
    w.listItem(eve, things['list'], did)
    w.listItem(eve, reference, did)
    w.follow(eve, did)
    w.follow(did, eve)
    w.follow(did, alice)
    w.like(did, post)
    w.repost(did, post)
    w.post(did, { text: 'a reply', reply: { parent: post } })
    w.post(did, { text: 'a quote', quote: post })
    w.repost(eve, theirs)
    w.like(alice, theirs)
    w.like(eve, things[`feed ${did}`]!)
    w.like(eve, things[`pack ${did}`]!)
  }
  for (const did of others) for (const other of others) if (did !== other) w.follow(did, other)
  for (const did of [alice, frank]) w.follow(did, eve)
  generators.says({ body: { feed: others.map((did) => ({ post: things[`post ${did}`]!.uri })) } })
}

beforeAll(async () => {
  createThings()
  for (const did of others) {
    const { uri, cid } = things[`post ${did}`]!
    await tell('bookmark.createBookmark', { uri, cid })
    await tell('notification.putActivitySubscription', {
      subject: did,
      activitySubscription: { post: true, reply: false },
    })
  }
  await tell('graph.muteActor', { actor: bob })
  await tell('graph.muteActorList', { list: things['modlist']!.uri })
  searchable(w)
})
afterAll(() => w.dispose())

async function tell(name: string, input: unknown): Promise<void> {
  const { status, body } = await w.tell(`app.bsky.${name}`, input, alice)
  expect(status, JSON.stringify(body)).toBe(200)
}

const ask = (name: string, query: Query) => w.get(`app.bsky.${name}`, query, alice)

/**
 * Runs `work` with follows where the method needs them: Alice's follows are never suggested, and
 * only they can be known followers.
 */
async function withFollows<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (!/getKnownFollowers|getTimeline/.test(name)) return work()
  const follows = others.map((did) => w.follow(alice, did))
  const result = await work()
  for (const follow of follows) w.delete(follow)
  return result
}

/** Collects every view of an account in an answer. */
function accountsIn(value: unknown, found: View[] = []): View[] {
  if (typeof value !== 'object' || value === null) return found
  const { did, handle } = value as Record<string, unknown>
  if (typeof did === 'string' && typeof handle === 'string') found.push(value as View)
  for (const inner of Object.values(value)) accountsIn(inner, found)
  return found
}

function expectMarked(views: readonly View[]): void {
  for (const { did, viewer } of views) {
    if (did === alice) continue
    expect([did, viewer?.muted]).toEqual([did, muted.includes(did)])
    const list = did === carol ? things['modlist']!.uri : undefined
    expect([did, viewer?.mutedByList?.uri]).toEqual([did, list])
  }
}

describe('muted accounts', () => {
  test.each(Object.entries(cases))('in %s', async (name, { query, shows }) => {
    const views = accountsIn(await withFollows(name, () => ask(name, query(things))))
    const visible = new Set(views.map(({ did }) => did))
    // Only muted accounts are hidden from a thread.
    expect(visible.has(dan)).toBe(name !== 'unspecced.getPostThreadOtherV2')
    for (const did of muted) expect([did, visible.has(did)]).toEqual([did, shows === 'marked'])
    expectMarked(views)
    if (shows === 'marked' || name.includes('listNotifications')) return
    // The mute is all that keeps them out.
    const forFrank = accountsIn(await w.get(`app.bsky.${name}`, query(things), frank))
    expect(forFrank.map(({ did }) => did)).toEqual(expect.arrayContaining(others))
  })

  test.each(Object.entries(alone))('queried by name, in %s', async (name, query) => {
    for (const did of others) {
      const views = accountsIn(await ask(name, query(things, did)))
      expect(views.map((view) => view.did)).toContain(did)
      expectMarked(views)
    }
  })

  test('are listed to the muting viewer, by account and by list', async () => {
    type Mutes = { mutes: View[] }
    const { mutes } = (await ask('graph.getMutes', {})) as Mutes
    expect(mutes.map(({ did }) => did)).toEqual([bob])
    type Lists = { lists: { uri: string; viewer?: { muted: boolean } }[] }
    const { lists } = (await ask('graph.getListMutes', {})) as Lists
    expect(lists).toMatchObject([{ uri: things['modlist']!.uri, viewer: { muted: true } }])
  })

  test('are marked in the list of blocks if also blocked', async () => {
    const blocks = [w.block(alice, bob), w.block(alice, dan)]
    const views = accountsIn(await ask('graph.getBlocks', {}))
    expect(views.map(({ did }) => did).sort()).toEqual([bob, dan].sort())
    expectMarked(views)
    for (const block of blocks) w.delete(block)
  })

  test('are private to the muting viewer', async () => {
    for (const [name, { query }] of Object.entries(cases)) {
      if (w.methods.find(({ nsid }) => nsid.endsWith(name))?.auth === 'required') continue
      if (name === 'feed.getActorLikes') continue
      const views = accountsIn(await w.get(`app.bsky.${name}`, query(things)))
      expect(views.filter(({ viewer }) => viewer !== undefined)).toEqual([])
    }
  })

  test('have an expectation for every method that shows accounts', () => {
    const known = [cases, alone, withoutMutes].flatMap((some) => Object.keys(some))
    const lexicons = loadLexicons()
    const showing = w.methods
      .filter(({ nsid, kind }) => kind === 'query' && nsid.startsWith('app.bsky.'))
      .map(({ nsid }) => nsid)
      .filter((nsid) => reaches(lexicons, `lex:${nsid}`))
      .map((nsid) => nsid.replace('app.bsky.', ''))
    expect(showing.filter((name) => ![...known, ...onlyMuted].includes(name))).toEqual([])
  })
})

const PROFILE = /^lex:app\.bsky\.actor\.defs#profileView/

/** Whether a method's answer can contain a view of an account. */
function reaches(lexicons: ReturnType<typeof loadLexicons>, ref: string): boolean {
  const seen = new Set<string>()
  const visit = (value: unknown): boolean => {
    if (typeof value === 'string' && value.startsWith('lex:')) {
      if (PROFILE.test(value)) return true
      if (seen.has(value)) return false
      seen.add(value)
      return visit(lexicons.getDef(value))
    }
    return typeof value === 'object' && value !== null && Object.values(value).some(visit)
  }
  const { output } = lexicons.getDefOrThrow(ref) as { output?: unknown }
  return visit(output)
}
