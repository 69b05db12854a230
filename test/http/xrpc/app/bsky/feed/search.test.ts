import { afterEach, describe, expect, test } from 'vitest'
import { blobOf, didOf } from '../../../../../support/records.ts'
import { searchable } from '../../../../../support/searching.ts'
import {
  allPages,
  createServingWorld,
  type Query,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

const V1 = 'app.bsky.feed.searchPosts'
const V2 = 'app.bsky.feed.searchPostsV2'

type Answer = { posts: { uri: string }[]; cursor?: string; hitsTotal?: number }

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'], ...options })
  return world
}

/** Reads every page, newest first. */
async function latest(w: ServingWorld, query: Query | string, viewer?: string): Promise<string[]> {
  searchable(w)
  const requested = typeof query === 'string' ? { q: query } : query
  const read = (cursor?: string) => w.get<Answer>(V1, { limit: 2, ...requested, cursor }, viewer)
  return (await allPages(read, ({ posts }) => posts)).map(({ uri }) => uri)
}

async function recent(w: ServingWorld, query: Query, viewer?: string): Promise<string[]> {
  searchable(w)
  const read = (cursor?: string) =>
    w.get<Answer>(V2, { limit: 2, sort: 'recent', ...query, cursor }, viewer)
  return (await allPages(read, ({ posts }) => posts)).map(({ uri }) => uri)
}

const facet = (feature: object) => ({ index: { byteStart: 0, byteEnd: 1 }, features: [feature] })
const tagged = (tag: string) => facet({ $type: 'app.bsky.richtext.facet#tag', tag })
const mentioning = (did: string) => facet({ $type: 'app.bsky.richtext.facet#mention', did })
const linking = (uri: string) => facet({ $type: 'app.bsky.richtext.facet#link', uri })
const card = (uri: string) => ({
  $type: 'app.bsky.embed.external',
  external: { uri, title: '', description: '' },
})
const images = (alt: string) => ({
  $type: 'app.bsky.embed.images',
  images: [{ image: blobOf('a picture'), alt }],
})
const video = { $type: 'app.bsky.embed.video', video: blobOf('a video', 'video/mp4') }

describe('words', () => {
  test('match in any order, regardless of case, accents and plurals; all are required', async () => {
    const w = start()
    const { uri } = w.post(bob, 'The Café has two black CATS, and they don’t mind.')
    const found = ['cats', 'cat', 'CAFE café', 'two the', "don't", 'mind!', 'black-cats', '(cat)']
    for (const q of found) expect(await latest(w, q), q).toEqual([uri])
    const overdue = ['ca', 'dog', 'cats dogs', 'cat-black', '', ' ', '""', '-', '--', '"', '*', '^']
    for (const q of overdue.filter((value) => value.trim() !== '')) {
      expect(await latest(w, q), q).toEqual([])
    }
  })

  test('match as a phrase where quoted', async () => {
    const w = start()
    const row = w.post(bob, 'a white rabbit runs').uri
    w.post(bob, 'a rabbit, white')
    for (const q of ['"white rabbit"', '“white rabbit” runs', '"rabbit runs']) {
      expect(await latest(w, q), q).toEqual([row])
    }
    expect((await latest(w, 'white rabbit')).length).toBe(2)
  })

  test('are excluded with a minus', async () => {
    const w = start()
    const tea = w.post(bob, 'tea and cake').uri
    const cake = w.post(bob, 'coffee and cake').uri
    w.post(bob, 'coffee')
    expect(await latest(w, 'cake -coffee')).toEqual([tea])
    expect(await latest(w, 'cake -"tea and"')).toEqual([cake])
    expect(await latest(w, '-coffee')).toEqual([tea])
  })

  test('beyond 32 in all phrases and exclusions do not count', async () => {
    const w = start()
    const words = Array.from({ length: 32 }, (_, i) => `n${i}x`)
    const phrases = Array.from({ length: 4 }, (_, i) => words.slice(i * 8, i * 8 + 8).join(' '))
    const { uri } = w.post(bob, words.join(' '))
    w.post(bob, words.slice(0, 24).join(' '))
    const quoted = phrases.map((phrase) => `"${phrase}"`).join(' ')
    expect(await latest(w, `${quoted} "not there" -n1x`)).toEqual([uri])
    expect(await latest(w, `"not there" ${quoted}`)).toEqual([])
  })

  test('match in scripts without spaces', async () => {
    const w = start()
    const { uri } = w.post(bob, '東京都で猫カフェに行きました。안녕하세요 ภาษาไทย')
    const found = [
      '東京',
      '京都',
      '猫',
      '猫カフェ',
      'カフェ',
      '안녕',
      'ภาษา',
      '行きました 東京',
      '"東京都で"',
    ]
    for (const q of found) expect(await latest(w, q), q).toEqual([uri])
    const long = w.post(bob, `${'あいうえお'.repeat(30)}鯨`).uri
    expect(await latest(w, '鯨')).toEqual([long])
    expect(await latest(w, 'お鯨')).toEqual([long])
    for (const q of ['京東', '犬', 'カ猫']) expect(await latest(w, q), q).toEqual([])
  })

  test('match in image descriptions, and so do emoji', async () => {
    const w = start()
    const seen = w.post(bob, { text: 'look 🦝', embed: images('a raccoon at night') }).uri
    expect(await latest(w, 'raccoon')).toEqual([seen])
    expect(await latest(w, '🦝')).toEqual([seen])
    expect(await latest(w, '🐈')).toEqual([])
  })
})

describe('operators and parameters', () => {
  test('author', async () => {
    const w = start()
    const mine = w.post(alice, 'hello').uri
    const his = w.post(bob, 'hello').uri
    w.post(carol, 'hello')
    w.handle(bob, 'bob.test')
    for (const q of ['from:bob.test hello', 'hello author:@bob.test', bob, `from:${bob}`]) {
      expect(await latest(w, q), q).toEqual([his])
    }
    expect(await latest(w, { q: 'hello', author: 'bob.test' })).toEqual([his])
    expect(await latest(w, { q: 'from:me' }, alice)).toEqual([mine])
    expect(await latest(w, { q: 'from:me' })).toEqual([])
    expect(await latest(w, 'from:nobody.test hello')).toEqual([])
    expect(await latest(w, 'hello from:me from:bob.test')).toEqual([his])
    expect(await latest(w, { q: 'from:bob.test', author: alice })).toEqual([his])
    expect(await latest(w, { q: `hello -from:bob.test -from:${carol}` })).toEqual([mine])
    expect(await recent(w, { authors: ['bob.test', alice] })).toEqual([his, mine])
    expect(await recent(w, { query: 'hello', excludeAuthors: [bob, carol] })).toEqual([mine])
  })

  test('mentioned account', async () => {
    const w = start()
    w.handle(carol, 'carol.test')
    w.profile(carol)
    w.handle(carol, 'carol.test')
    const { uri } = w.post(bob, { text: 'hi @carol', facets: [mentioning(carol)] })
    w.post(bob, 'hi carol.test')
    for (const q of ['mentions:carol.test', 'to:@carol.test', '@carol.test', `mentions:${carol}`]) {
      expect(await latest(w, q), q).toEqual([uri])
    }
    expect(await latest(w, { q: 'hi', mentions: 'carol.test' })).toEqual([uri])
    expect(await latest(w, { q: 'mentions:me' }, carol)).toEqual([uri])
  })

  test('tags, from facets and the record: all of them in v1, any in v2', async () => {
    const w = start()
    const first = w.post(bob, { text: 'x', facets: [tagged('Art')] }).uri
    const both = w.post(bob, { text: 'x', facets: [tagged('art')], more: { tags: ['Sky'] } }).uri
    w.post(bob, 'art sky')
    expect(await latest(w, '#art')).toEqual([both, first])
    expect(await latest(w, '#ART, #sky')).toEqual([both])
    expect(await latest(w, 'x -#sky')).toEqual([first])
    expect(await latest(w, { q: 'x', tag: ['art', 'sky'] })).toEqual([both])
    expect(await recent(w, { hashtags: ['art', 'sky'] })).toEqual([both, first])
    expect(await recent(w, { query: 'x', excludeHashtags: ['sky'] })).toEqual([first])
    // Each tag costs one more walk through a list, so tags beyond the 25th are ignored.
    const more = [...Array<string>(25).fill('art'), 'absent']
    expect(await latest(w, { q: 'x', tag: more.slice(1) })).toEqual([])
    expect(await latest(w, { q: 'x', tag: more })).toEqual([both, first])
  })

  test('links: by domain and by URL', async () => {
    const w = start()
    const facets = [linking('https://www.example.com/a/?b=1#c')]
    const linked = w.post(bob, { text: 'read', facets }).uri
    const text = w.post(bob, { text: 'read', embed: card('http://news.example.com/x') }).uri
    w.post(bob, 'read example.com')
    expect(await latest(w, 'domain:example.com')).toEqual([text, linked])
    expect(await latest(w, { q: 'read', domain: 'News.Example.com' })).toEqual([text])
    expect(await latest(w, 'domain:com')).toEqual([])
    for (const q of [
      'url:https://example.com/a?b=1',
      'https://www.example.com/a/?b=1',
      'url:example.com/a?b=1',
    ]) {
      expect(await latest(w, q), q).toEqual([linked])
    }
    expect(await latest(w, { q: 'read', url: 'https://news.example.com/x/' })).toEqual([text])
    expect(await latest(w, 'url:http://[')).toEqual([])
    expect(await recent(w, { domains: ['nowhere.test', 'news.example.com'] })).toEqual([text])
    expect(
      await recent(w, {
        query: 'read',
        excludeUrls: ['https://example.com/a?b=1'],
        excludeDomains: ['news.example.com'],
      }),
    ).toHaveLength(1)
  })

  test('languages, with and without a region', async () => {
    const w = start()
    const pt = w.post(bob, { text: 'bom', langs: ['pt-BR', 'en'] }).uri
    const other = w.post(bob, { text: 'bom', langs: ['pt'] }).uri
    w.post(bob, 'bom')
    expect(await latest(w, 'bom lang:pt')).toEqual([other, pt])
    expect(await latest(w, { q: 'bom', lang: 'pt-br' })).toEqual([pt])
    expect(await recent(w, { query: 'bom', excludeLanguages: ['en', 'pt'] })).toHaveLength(1)
  })

  test('times: since is inclusive, until is exclusive', async () => {
    const w = start()
    const at = (createdAt: string) => w.post(bob, { text: 'tick', createdAt }).uri
    const [old, first, second] = [
      at('2026-09-30T23:59:59.999Z'),
      at('2026-10-01T00:00:00.000Z'),
      at('2026-10-01T00:00:00.500Z'),
    ]
    expect(await latest(w, 'tick since:2026-10-01')).toEqual([second, first])
    expect(await latest(w, 'tick until:2026-10-01')).toEqual([old])
    expect(await latest(w, { q: 'tick', since: '2026-10-01T00:00:00.500Z' })).toEqual([second])
    expect(
      await latest(w, { q: 'tick', since: '2026-09-30', until: '2026-10-01T00:00:00.001Z' }),
    ).toEqual([first, old])
    expect(await latest(w, { q: 'tick', since: 'yesterday' })).toEqual([second, first, old])
    expect(await recent(w, { query: 'tick', until: '2026-10-01' })).toEqual([old])
  })

  test('threads, media, embedded records and follows, in v2', async () => {
    const w = start()
    const root = w.post(carol, 'root')
    const reply = w.post(bob, { text: 'inside', reply: { parent: root } })
    const deeper = w.post(bob, { text: 'inside', reply: { parent: reply, root } }).uri
    const quote = w.post(alice, { text: 'inside', quote: root }).uri
    const picture = w.post(carol, { text: 'inside', embed: images('') }).uri
    const film = w.post(carol, { text: 'inside', embed: video }).uri
    w.follow(alice, carol)
    const inside = { query: 'inside' }
    expect(await recent(w, { replyParentUri: reply.uri })).toEqual([deeper])
    expect(await recent(w, { threadRootUri: root.uri })).toEqual([deeper, reply.uri])
    expect(await recent(w, { threadRootUri: `at://${bob}/app.bsky.feed.post/none` })).toEqual([])
    expect(await recent(w, { ...inside, repliesOnly: true })).toEqual([deeper, reply.uri])
    expect(await recent(w, { ...inside, excludeReplies: true })).toEqual([film, picture, quote])
    expect(await recent(w, { embeddedAtUris: [root.uri] })).toEqual([quote])
    expect(await recent(w, { ...inside, hasMedia: true })).toEqual([film, picture])
    expect(await recent(w, { hasVideo: true })).toEqual([film])
    expect(await recent(w, { ...inside, following: true }, alice)).toEqual([film, picture])
    expect(await recent(w, { ...inside, following: true })).toEqual([])
    expect((await w.ask(V2, { repliesOnly: true, excludeReplies: true })).status).toBe(400)
    expect((await w.ask(V2, {})).status).toBe(400)
  })
})

describe('results', () => {
  test('leave out posts in a block with the viewer, but not those of muted authors', async () => {
    const w = start()
    const mine = w.post(alice, 'word').uri
    w.post(bob, 'word')
    const muted = w.post(carol, 'word').uri
    w.block(bob, alice)
    w.mute(alice, carol)
    expect(await latest(w, 'word', alice)).toEqual([muted, mine])
    expect(await latest(w, 'word')).toHaveLength(3)
  })

  test('lose deleted posts at once, and match edited posts by their current text', async () => {
    const w = start()
    const gone = w.post(bob, 'going')
    const edited = w.post(bob, 'going')
    expect(await latest(w, 'going')).toEqual([edited.uri, gone.uri])
    w.delete(gone)
    const answer = await w.get<Answer>(V1, { q: 'going' })
    expect(answer.posts.map(({ uri }) => uri)).toEqual([edited.uri])
    const [did, collection, rkey] = edited.uri.slice(5).split('/') as [string, string, string]
    const record = { text: 'came', createdAt: '2026-10-05T00:00:00.000Z' }
    w.write({ did, collection, rkey, operation: 'update', record })
    expect(await latest(w, 'going')).toEqual([])
    expect(await latest(w, 'came')).toEqual([edited.uri])
    w.status(bob, 'deleted')
    expect(await latest(w, 'came')).toEqual([])
  })

  test('count the hits', async () => {
    const w = start()
    for (let i = 0; i < 5; i++) w.post(bob, 'counted')
    searchable(w)
    expect((await w.get<Answer>(V1, { q: 'counted', limit: 2 })).hitsTotal).toBe(5)
    expect((await w.get<Answer>(V2, { query: 'counted' })).hitsTotal).toBe(5)
    expect((await w.get<Answer>(V1, { q: 'none' })).hitsTotal).toBe(0)
  })
})

describe('top', () => {
  test('lists the most liked of the newest first, each once across pages, despite new posts', async () => {
    const w = start()
    const posts = Array.from({ length: 30 }, () => w.post(bob, 'popular'))
    for (const [i, post] of posts.entries()) {
      for (let likes = 0; likes < (i * 7) % 11; likes++) w.like(didOf(`fan ${likes}`), post)
    }
    searchable(w)
    let round = 0
    const read = (cursor?: string) => {
      w.post(carol, `popular ${round++}`)
      searchable(w)
      return w.get<Answer>(V2, { query: 'popular', limit: 4, cursor, excludeAuthors: [carol] })
    }
    const uris = (await allPages(read, (page) => page.posts)).map(({ uri }) => uri)
    const likesOf = (i: number) => (i * 7) % 11
    const expected = posts
      .map(({ uri }, i) => ({ uri, i }))
      .sort((a, b) => likesOf(b.i) - likesOf(a.i) || b.i - a.i)
    expect(uris).toEqual(expected.map(({ uri }) => uri))
  })
})

test('refuses cursors that the server cannot have written', async () => {
  const w = start()
  for (const cursor of ['rubbish', '1__x', '99999999999.1', '1.1__1_1_1']) {
    expect((await w.ask(V1, { q: 'a', cursor })).status, cursor).toBe(400)
    expect((await w.ask(V2, { query: 'a', cursor })).status, cursor).toBe(400)
  }
})
