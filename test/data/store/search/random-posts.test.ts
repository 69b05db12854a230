import { afterEach, describe, expect, test, vi } from 'vitest'
import { DAY_MS } from '../../../../src/base/util/durations.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { didOf } from '../../../support/records.ts'
import { searchable } from '../../../support/searching.ts'
import { testSeed } from '../../../support/seed.ts'
import { allPages, createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

const V1 = 'app.bsky.feed.searchPosts'
const V2 = 'app.bsky.feed.searchPostsV2'

type Answer = { posts: { uri: string }[]; cursor?: string; hitsTotal?: number }
type Fact = {
  uri: string
  cid: string
  did: string
  words: string[]
  tags: string[]
  sortAt: number
}

let world: ServingWorld | undefined
afterEach(() => {
  vi.restoreAllMocks()
  world?.dispose()
})

const WORDS = ['red', 'Green', 'blue', 'and', 'the', 'pale', 'RED', 'gray', 'blé', 'or', 'near']
const TAGS = ['art', 'sky', 'Sea']
const AUTHORS = ['ann', 'ben', 'cyd'].map(didOf)
const START = Date.parse('2026-09-01T00:00:00Z')

const plain = (word: string) => word.toLowerCase().replace('é', 'e')

/** Text, tags and author of a random post, sometimes with the exact time of another one. */
function somePost(w: ServingWorld, random: Random): Fact {
  const words = Array.from({ length: 1 + random.below(6) }, () => random.pick(WORDS))
  const tags = TAGS.filter(() => random.chance(0.2))
  const did = random.pick(AUTHORS)
  const sortAt = START + random.below(20) * DAY_MS + random.below(3) * 500
  const createdAt = new Date(sortAt).toISOString()
  const text = words.join(random.pick([' ', ', ', '\n']))
  const { uri, cid } = w.post(did, { text, createdAt, more: { tags } })
  return { uri, cid, did, words: words.map(plain), tags: tags.map(plain), sortAt }
}

type Condition = { text: string; holds: (fact: Fact) => boolean }

function someCondition(random: Random): Condition {
  const kind = random.below(7)
  const word = random.pick(WORDS)
  const row = [random.pick(WORDS), random.pick(WORDS)]
  const did = random.pick(AUTHORS)
  const tag = random.pick(TAGS)
  const time = START + random.below(20) * DAY_MS + random.below(3) * 500
  const at = new Date(time).toISOString()
  const hasRow = ({ words }: Fact) =>
    words.some((value, i) => value === plain(row[0]!) && words[i + 1] === plain(row[1]!))
  const conditions: Condition[] = [
    { text: word, holds: ({ words }) => words.includes(plain(word)) },
    { text: `-${word}`, holds: ({ words }) => !words.includes(plain(word)) },
    { text: `"${row.join(' ')}"`, holds: hasRow },
    { text: `from:${did}`, holds: (fact) => fact.did === did },
    { text: `#${tag}`, holds: ({ tags }) => tags.includes(plain(tag)) },
    { text: `since:${at}`, holds: ({ sortAt }) => sortAt >= time },
    { text: `until:${at}`, holds: ({ sortAt }) => sortAt < time },
  ]
  return conditions[kind]!
}

/** Conditions that are neither alternatives of each other nor override each other. */
function someQuery(random: Random): Condition[] {
  const query = new Map<string, Condition>()
  for (let i = 1 + random.below(3); i > 0; i--) {
    const condition = someCondition(random)
    const name = /^(from|since|until):/.exec(condition.text)?.[1]
    query.set(name ?? condition.text, condition)
  }
  return [...query.values()]
}

test('random posts, random queries: latest and top equal a naive search, without repeats', async () => {
  const random = createRandom(testSeed('searchPosts'))
  const w = createServingWorld({ scope: 'network' })
  world = w
  const facts = new Map<string, Fact>()
  for (let i = 0; i < 250; i++) {
    const fact = somePost(w, random)
    facts.set(fact.uri, fact)
    if (random.chance(0.15)) {
      const gone = random.pick([...facts.keys()])
      w.delete(gone)
      facts.delete(gone)
    }
    if (random.chance(0.1)) searchable(w)
  }
  searchable(w)
  for (let i = 0; i < 60; i++) {
    const query = someQuery(random)
    const q = query.map(({ text }) => text).join(' ')
    const expected = [...facts.values()]
      .filter((fact) => query.every(({ holds }) => holds(fact)))
      .sort((a, b) => b.sortAt - a.sortAt || (a.cid < b.cid ? 1 : -1))
      .map(({ uri }) => uri)
    const limit = 1 + random.below(30)
    const latest = (cursor?: string) => w.get<Answer>(V1, { q, limit, cursor })
    const top = (cursor?: string) => w.get<Answer>(V2, { query: q, limit, cursor })
    const uris = (page: Answer) => page.posts.map(({ uri }) => uri)
    expect(await allPages(latest, uris), q).toEqual(expected)
    expect((await allPages(top, uris)).sort(), q).toEqual([...expected].sort())
    expect((await latest()).hitsTotal ?? 0, q).toBeGreaterThanOrEqual(
      Math.min(expected.length, limit),
    )
  }
})

/** As on a machine where each read takes longer than a page may. */
function makeTimeFly() {
  let user = 0
  return vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => {
    user += 50_000
    return { user, system: 0 }
  })
}

describe('hostile queries', () => {
  const PIECES = [
    ...['"', "'", '*', '^', '(', ')', '{', '}', ':', '-', '+', ',', '#', '@', '\\', '\0', '%', ';'],
    ...[' ', ' AND ', ' OR ', ' NOT ', 'NEAR(', 'NEAR/2', 'words:', 'post_words', 'rowid', 'rank'],
    ...['from:', 'since:', 'url:http://[', 'did:', 'lang:', 'red', '猫', '🦝', '\ud800', '\u202e'],
    ...[':x', ':u1', '":x"', "' OR 1=1 --", '); DROP TABLE post_words; --', '"" ""', '- -', '--"'],
  ]

  test('are answered, and never interpreted by the index', async () => {
    const random = createRandom(testSeed('hostile queries'))
    const w = createServingWorld({ scope: 'network' })
    world = w
    const { uri } = w.post(didOf('ann'), 'red fox near the words')
    searchable(w)
    for (let i = 0; i < 400; i++) {
      const q = Array.from({ length: 1 + random.below(6) }, () => random.pick(PIECES)).join('')
      if (q === '') continue
      for (const [nsid, query] of [
        [V1, { q }],
        [V1, { q, sort: 'top' }],
        [V2, { query: q, sort: 'recent' }],
        ['app.bsky.actor.searchActors', { q }],
        ['app.bsky.actor.searchActorsTypeahead', { q }],
      ] as const) {
        const { status, body } = await w.ask(nsid, query)
        expect([200, 400], `${nsid} ${JSON.stringify(q)} ${JSON.stringify(body)}`).toContain(status)
      }
    }
    expect((await w.get<Answer>(V1, { q: 'red fox' })).posts).toMatchObject([{ uri }])
    for (const q of [':x', ':xr', ':u1', 'words:red', 'red AND fox', 'red NEAR fox', 'r*']) {
      const found = (await w.get<Answer>(V1, { q })).posts.length
      expect(found, q).toBe(q === 'red NEAR fox' ? 1 : 0)
    }
  })

  test('take no longer with a cursor that claims to have read all of time', async () => {
    const w = createServingWorld({ scope: 'network' })
    world = w
    for (let day = 0; day < 60; day++) {
      w.post(didOf('ann'), { text: 'red', createdAt: new Date(START + day * DAY_MS).toISOString() })
      searchable(w)
    }
    const query = { q: 'red', sort: 'top', limit: 100, cursor: '9999999999.0__0.0__99999_0' }
    expect((await w.get<Answer>(V1, query)).posts).toHaveLength(60)
    const time = makeTimeFly()
    const slow = await w.get<Answer>(V1, query)
    expect(slow.posts.length).toBeGreaterThan(0)
    expect(slow.posts.length).toBeLessThan(40)
    expect(slow.cursor).toBeDefined()
    time.mockRestore()
    const rest = await w.get<Answer>(V1, { ...query, cursor: slow.cursor })
    expect(slow.posts.length + rest.posts.length).toBe(60)
  })

  test('are answered to the end, however slow the index is', async () => {
    const w = createServingWorld({ scope: 'network' })
    world = w
    for (let i = 0; i < 60; i++) {
      const at = START + (i % 40) * DAY_MS
      w.post(didOf('ann'), { text: 'red', createdAt: new Date(at).toISOString() })
      searchable(w)
    }
    makeTimeFly()
    for (const sort of ['latest', 'top']) {
      const read = (cursor?: string) => w.get<Answer>(V1, { q: 'red', sort, limit: 100, cursor })
      const uris = await allPages(read, ({ posts }) => posts.map(({ uri }) => uri))
      expect([sort, uris.length, new Set(uris).size]).toEqual([sort, 60, 60])
    }
  })

  test('are bounded at any length', async () => {
    const w = createServingWorld({ scope: 'network' })
    world = w
    w.post(didOf('ann'), 'red')
    searchable(w)
    for (const q of [
      '"'.repeat(5_000),
      'a '.repeat(3_000),
      '猫'.repeat(900),
      `"${'red '.repeat(900)}"`,
    ]) {
      expect((await w.ask(V1, { q })).status).toBe(200)
      expect((await w.ask('app.bsky.actor.searchActors', { q })).status).toBe(200)
    }
  })
})
