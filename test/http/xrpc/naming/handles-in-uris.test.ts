// At-URIs that name their account by handle, in every method whose lexicon has an at-URI in its parameters or
// input: the answer is the one to the at-URI with the DID.

import { afterEach, describe, expect, test } from 'vitest'
import { loadLexicons } from '../../../../src/base/atproto/lexicons/lexicons.ts'
import { hasFeature } from '../../../support/feature-parts.ts'
import { createFeedGeneratorDouble } from '../../../support/feed-generator-double.ts'
import { didOf } from '../../../support/records.ts'
import { searchable } from '../../../support/searching.ts'
import {
  createServingWorld,
  type Query,
  type ServingWorld,
} from '../../../support/serving-world.ts'

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
const HANDLE = 'bob.example.org'
/** Carol's handle is not stored here: it must be looked up. */
const STRANGE = 'carol.example.org'

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

type Made = ReturnType<typeof makeAll>
type Kind = keyof Made

function makeAll(w: ServingWorld, did: string) {
  const post = w.post(did, 'hello world')
  const list = w.list(did, 'people', 'app.bsky.graph.defs#curatelist')
  w.listItem(did, list, did)
  const feed = w.create(did, 'app.bsky.feed.generator', {
    did: createFeedGeneratorDouble().did,
    displayName: 'Cats',
  })
  const members = w.list(did, 'members', 'app.bsky.graph.defs#referencelist')
  w.listItem(did, members, did)
  const pack = w.create(did, 'app.bsky.graph.starterpack', { name: 'pack', list: members.uri })
  w.like(alice, post)
  w.repost(alice, post)
  const quote = w.post(alice, { text: 'look', quote: post })
  w.post(alice, { text: 'hello, too', reply: { parent: post } })
  return { post, list, feed, pack, quote }
}

function start() {
  const generator = createFeedGeneratorDouble()
  const w = createServingWorld({
    scope: 'network',
    members: ['alice'],
    moderationServices: [alice],
    handles: { [STRANGE]: carol },
    services: { [generator.did]: generator.services },
    fetch: generator.fetch,
  })
  world = w
  for (const did of [alice, bob, carol]) w.profile(did, { displayName: 'somebody' })
  w.handle(alice, 'alice.example.org')
  w.handle(bob, HANDLE)
  const made = { bob: makeAll(w, bob), carol: makeAll(w, carol) }
  searchable(w)
  generator.says({ body: { feed: [{ post: made.bob.post.uri }] } })
  return { w, made, generator }
}

/** What each at-URI names, and the other parameters that its method needs. */
const SAMPLES: Record<string, [kind: Kind, more?: Query]> = {
  'app.bsky.embed.getEmbedExternalView uris': ['post', { url: 'https://example.org/' }],
  'app.bsky.feed.getFeed feed': ['feed'],
  'app.bsky.feed.getFeedGenerator feed': ['feed'],
  'app.bsky.feed.getFeedGenerators feeds': ['feed'],
  'app.bsky.feed.getLikes uri': ['post'],
  'app.bsky.feed.getListFeed list': ['list'],
  'app.bsky.feed.getPostThread uri': ['post'],
  'app.bsky.feed.getPosts uris': ['post'],
  'app.bsky.feed.getQuotes uri': ['post'],
  'app.bsky.feed.getRepostedBy uri': ['post'],
  'app.bsky.feed.searchPostsV2 embeddedAtUris': ['post'],
  'app.bsky.feed.searchPostsV2 excludeEmbeddedAtUris': ['post', { query: 'look' }],
  'app.bsky.feed.searchPostsV2 replyParentUri': ['post'],
  'app.bsky.feed.searchPostsV2 threadRootUri': ['post'],
  'app.bsky.graph.getList list': ['list'],
  'app.bsky.graph.getStarterPack starterPack': ['pack'],
  'app.bsky.graph.getStarterPacks uris': ['pack'],
  'app.bsky.unspecced.getPostThreadOtherV2 anchor': ['post'],
  'app.bsky.unspecced.getPostThreadV2 anchor': ['post'],
  'com.atproto.admin.getSubjectStatus uri': ['post'],
  'io.slipstream.feed.getKnownLikers uris': ['post'],
  ...(hasFeature('media') && { 'io.slipstream.video.getStats uri': ['quote'] }),
  ...(hasFeature('read') && { 'io.slipstream.feed.getPostReasons uri': ['post'] }),
}

type Schema = { format?: string; items?: Schema }

/** The at-URIs among a method's parameters, or the fields of its input. */
function atUrisOf(part: 'parameters' | 'input', nsid: string): string[] {
  const method = loadLexicons().getDefOrThrow(nsid) as {
    parameters?: { properties?: Record<string, Schema> }
    input?: { schema?: { properties?: Record<string, Schema> } }
  }
  const { properties = {} } = (part === 'input' ? method.input?.schema : method.parameters) ?? {}
  const isAtUri = ({ format, items }: Schema) => (items ?? { format }).format === 'at-uri'
  return Object.keys(properties).filter((name) => isAtUri(properties[name]!))
}

function fieldsOf(w: ServingWorld, part: 'parameters' | 'input'): string[] {
  return w.methods.flatMap(({ nsid }) => atUrisOf(part, nsid).map((name) => `${nsid} ${name}`))
}

const named = (uri: string, by: string) => uri.replace(/did:plc:[a-z2-7]+/, by)

describe('an at-URI with a handle', () => {
  test('has a sample for every method that takes one', () => {
    const { w } = start()
    expect(fieldsOf(w, 'parameters')).toEqual(Object.keys(SAMPLES))
  })

  test.each(Object.entries(SAMPLES))('is answered like its DID by %s', async (field, sample) => {
    const { w, made, generator } = start()
    const [nsid, name] = field.split(' ') as [string, string]
    const [kind, more] = sample
    const record = made.bob[kind]
    const ask = (uri: string) => w.ask(nsid, { ...more, [name]: [uri] }, alice)
    const right = await ask(record.uri)
    expect(right.status, JSON.stringify(right.body)).toBe(200)
    // Nobody watched a video, the replies are no others, a post is no article, and reasons name nobody.
    const isEmpty = /getStats|getPostReasons|OtherV2|ExternalView/.test(nsid)
    expect(JSON.stringify(right.body).includes('at://')).toBe(!isEmpty)
    const by = kind === 'quote' ? ['alice.example.org'] : [HANDLE, HANDLE.toUpperCase()]
    for (const handle of by) {
      const { status, body } = await ask(named(record.uri, handle))
      expect([handle, status, body]).toEqual([handle, 200, right.body])
    }
    for (const { url } of generator.requested) expect(url.searchParams.get('feed')).toBe(record.uri)
  })

  test('is looked up if the handle is not stored here', async () => {
    const { w, made } = start()
    const uris = [made.carol.post.uri, made.bob.post.uri, `at://${HANDLE}/app.bsky.feed.post/none`]
    const right = await w.get('app.bsky.feed.getPosts', { uris }, alice)
    const byName = uris.map((uri) => named(uri, uri.includes(carol) ? STRANGE : HANDLE))
    expect(await w.get('app.bsky.feed.getPosts', { uris: byName }, alice)).toEqual(right)
    expect(w.looked).toEqual([STRANGE])
    const list = named(made.carol.list.uri, STRANGE)
    expect(await w.get('app.bsky.graph.getList', { list }, alice)).toMatchObject({
      list: { uri: made.carol.list.uri },
      items: [{ subject: { did: carol } }],
    })
  })

  test('names no record if the handle leads to no account', async () => {
    const { w } = start()
    const uri = (collection: string) => `at://nobody.example.org/${collection}/3kaaaaaaaaa2a`
    const uris = [uri('app.bsky.feed.post'), `at://nobody.example.org`]
    expect(await w.get('app.bsky.feed.getPosts', { uris }, alice)).toEqual({ posts: [] })
    const list = uri('app.bsky.graph.list')
    const { status, body } = await w.ask('app.bsky.graph.getList', { list }, alice)
    expect([status, body['message']]).toEqual([400, 'List not found'])
  })

  test('costs at most 25 look-ups a request, and each request gets further', async () => {
    const { w, made } = start()
    const unknown = Array.from(
      { length: 60 },
      (_, i) => `at://u${i}.example.org/app.bsky.feed.generator/a`,
    )
    const feeds = [...unknown, named(made.bob.feed.uri, HANDLE)]
    const nsid = 'app.bsky.feed.getFeedGenerators'
    for (const looked of [25, 50]) {
      expect((await w.ask(nsid, { feeds })).status).toBe(503)
      expect(w.looked).toHaveLength(looked)
    }
    const found = await w.get<{ feeds: { uri: string }[] }>(nsid, { feeds })
    expect(found.feeds.map(({ uri }) => uri)).toEqual([made.bob.feed.uri])
  })
})

describe('in the input', () => {
  const INPUTS: Record<string, (made: Made) => { kind: Kind; more?: object; sent?: object }> = {
    'app.bsky.bookmark.createBookmark uri': ({ post: { uri, cid } }) => ({
      kind: 'post',
      more: { cid },
      sent: { kind: 'bookmark', did: alice, uri, cid },
    }),
    'app.bsky.bookmark.deleteBookmark uri': ({ post: { uri } }) => ({
      kind: 'post',
      sent: { kind: 'unbookmark', did: alice, uri },
    }),
    'app.bsky.feed.sendInteractions feed': () => ({ kind: 'feed', more: { interactions: [] } }),
    'app.bsky.graph.muteActorList list': ({ list: { uri } }) => ({
      kind: 'list',
      sent: { kind: 'mute-list', did: alice, list: uri },
    }),
    'app.bsky.graph.muteThread root': ({ post: { uri } }) => ({
      kind: 'post',
      sent: { kind: 'mute-thread', did: alice, root: uri },
    }),
    'app.bsky.graph.unmuteActorList list': ({ list: { uri } }) => ({
      kind: 'list',
      sent: { kind: 'unmute-list', did: alice, list: uri },
    }),
    'app.bsky.graph.unmuteThread root': ({ post: { uri } }) => ({
      kind: 'post',
      sent: { kind: 'unmute-thread', did: alice, root: uri },
    }),
  }

  test('every method that takes one has a sample', () => {
    const { w } = start()
    expect(fieldsOf(w, 'input')).toEqual(Object.keys(INPUTS))
  })

  test.each(Object.entries(INPUTS))('is taken like its DID by %s', async (field, sampleOf) => {
    const { w, made } = start()
    const [nsid, name] = field.split(' ') as [string, string]
    const { kind, more, sent } = sampleOf(made.bob)
    const uri = named(made.bob[kind].uri, HANDLE.toUpperCase())
    const { status, body } = await w.tell(nsid, { ...more, [name]: uri }, alice)
    expect([status, body]).toEqual([200, sent ? undefined : {}])
    if (sent) expect(w.sent).toContainEqual(sent)
  })

  test('a moderator’s subject is the record by its DID', async () => {
    const decided: string[] = []
    const decide = async ({ subject }: { subject: string }) => void decided.push(subject)
    world = createServingWorld({ scope: 'network', moderationServices: [alice], decide })
    world.profile(bob, { displayName: 'bob' })
    world.handle(bob, HANDLE)
    const { uri, cid } = world.post(bob, 'hello')
    const $type = 'com.atproto.repo.strongRef'
    const subject = { $type, uri: named(uri, HANDLE.toUpperCase()), cid }
    const nsid = 'com.atproto.admin.updateSubjectStatus'
    const requested = await world.tell(nsid, { subject, takedown: { applied: true } }, alice)
    expect([requested.status, decided]).toEqual([200, [uri]])
  })
})
