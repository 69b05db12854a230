// Every method, called with deliberately hostile input: SQL and FTS syntax in each text, and cursors that are
// altered, made up, or meant for another method or member. No answer may be an internal error, change a row,
// or show what the same viewer could not read page by page.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadLexicons } from '../../src/base/atproto/lexicons/lexicons.ts'
import type { Db } from '../../src/data/store/db.ts'
import type { Method } from '../../src/http/server/method.ts'
import { createRandom, type Random } from '../support/random.ts'
import { searchable } from '../support/searching.ts'
import { testSeed } from '../support/seed.ts'
import { createServingWorld, type Query, type ServingWorld } from '../support/serving-world.ts'
import type { RecordId } from '../support/world.ts'

const lexicons = loadLexicons()
const MAX_PAGES = 200
const FORGERIES_EACH = 25
const TEXTS_EACH = 20

type Property = {
  type: string
  format?: string
  items?: { format?: string }
  knownValues?: string[]
}
type Scene = { world: ServingWorld; alice: string; bob: string; samples: Samples }
type Samples = Record<'post' | 'list' | 'feed' | 'did', string>

let scene: Scene
let random: Random

beforeAll(async () => {
  random = createRandom(testSeed('hostile requests'))
  scene = await createScene()
})
afterAll(() => scene.world.dispose())

/**
 * Creates two members with private state, the people that they follow, and some of every kind of
 * record.
 */
async function createScene(): Promise<Scene> {
  const world = createServingWorld()
  const [alice, bob] = [world.account('alice'), world.account('bob')]
  const people = Array.from({ length: 8 }, (_, i) => world.account(`person${i}`))
  for (const did of [alice, bob]) world.member(did)
  for (const [i, did] of [...people, alice, bob].entries()) {
    world.profile(did, { displayName: `Person ${i}`, description: 'says hello' })
    world.handle(did, `person${i}.test`)
  }
  for (const did of people) {
    world.follow(alice, did)
    if (random.chance(0.5)) world.follow(bob, did)
    for (const other of people) if (other !== did) world.follow(did, other)
    world.follow(did, alice)
  }
  const posts: RecordId[] = []
  for (let i = 0; i < 120; i++) {
    const did = random.pick([...people, alice, bob])
    const parent =
      random.chance(0.4) && posts.length > 0 ? posts[random.below(posts.length)] : undefined
    const quote = random.chance(0.2) ? posts.at(-1) : undefined
    const root = posts[0]
    const reply = parent && root ? { parent, root } : undefined
    posts.push(world.post(did, { text: `hello number ${i}`, reply, quote }))
    world.like(random.pick(people), random.pick(posts))
    world.repost(random.pick(people), random.pick(posts))
  }
  const list = world.list(people[0]!, 'a list')
  for (const did of people) world.listItem(people[0]!, list, did)
  const feed = world.create(people[0]!, 'app.bsky.feed.generator', {
    did: 'did:web:feed.test',
    displayName: 'a feed',
  })
  for (const [did, mine] of [
    [alice, posts.slice(0, 30)],
    [bob, posts.slice(30, 60)],
  ] as const) {
    for (const { uri, cid } of mine)
      await world.tell('app.bsky.bookmark.createBookmark', { uri, cid }, did)
    const draft = { posts: [{ text: `secret of ${did}` }] }
    for (let i = 0; i < 5; i++) await world.tell('app.bsky.draft.createDraft', { draft }, did)
  }
  for (const did of people.slice(0, 4))
    await world.tell('app.bsky.graph.muteActor', { actor: did }, bob)
  searchable(world)
  const samples = { post: posts[0]!.uri, list: list.uri, feed: feed.uri, did: people[0]! }
  return { world, alice, bob, samples }
}

function propertiesOf(nsid: string): { properties: Record<string, Property>; required: string[] } {
  const main = lexicons.getDefOrThrow(nsid, ['query', 'procedure']) as {
    parameters?: { properties: Record<string, Property>; required?: string[] }
  }
  const { properties = {}, required = [] } = main.parameters ?? {}
  return { properties, required }
}

/** Returns a valid value for a parameter, by its name and format. */
function sampleOf(nsid: string, name: string, { type, format, items, knownValues }: Property) {
  const { samples } = scene
  if (type === 'boolean' || type === 'integer') return undefined
  const kind = format ?? items?.format
  if (kind === 'at-uri') {
    if (/list/i.test(name)) return samples.list
    return /Generator|getFeed\b/.test(nsid) ? samples.feed : samples.post
  }
  if (kind === 'did' || kind === 'at-identifier') return samples.did
  if (kind === 'handle') return 'person0.test'
  if (kind === 'nsid') return 'app.bsky.feed.post'
  if (kind === 'record-key') return samples.post.split('/').at(-1)
  if (kind) return undefined
  return knownValues?.[0] ?? 'hello'
}

function goodQuery({ nsid }: Method): Query {
  const { properties, required } = propertiesOf(nsid)
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || /^q(uery)?$/.test(name),
  )
  const given = names.map((name) => [name, sampleOf(nsid, name, properties[name]!)] as const)
  const query: Query = Object.fromEntries(given)
  if ('limit' in properties) query['limit'] = 5
  return query
}

const queries = () => scene.world.methods.filter(({ kind }) => kind === 'query')
const procedures = () => scene.world.methods.filter(({ kind }) => kind === 'procedure')

function rowsOf(db: Db): Record<string, unknown> {
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .pluck()
    .all()
  const count = (name: string) => db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()
  return Object.fromEntries(tables.map((name) => [name, count(name)]))
}

const LEAKS =
  /sqlite|syntax error|fts5|no such (table|column)|unterminated|malformed match|at .*\.ts:\d/i

function judge(status: number, body: unknown, what: unknown): void {
  expect(status, JSON.stringify([what, body])).toBeLessThan(500)
  if (status >= 400) expect(JSON.stringify(body)).not.toMatch(LEAKS)
}

// biome-ignore format: a list
const texts = [
  "'", '"', '`', ';', "' OR '1'='1", "'); DROP TABLE posts; --", '" OR 1=1 --', '/*', '%', '_', '\\',
  '*', 'a*', '^a', 'a^', 'NEAR(a b, 5)', 'a AND', 'OR', 'NOT a', 'a NOT', '(a', 'a)', '{a b}: c', 'a:b',
  ':', ':from', ':a b', '-a', '+a', 'a + b', '"a', 'a"b', '""', '" "', '?1', '$a', '@a', ':1',
  'rowid:1', 'posts MATCH a', 'from:', 'from:"', "from:'x", 'since:x', 'until:9999-99-99', 'lang:', 'domain:*',
  'mentions:@', '#', '#"', '\u0000', 'a\u0000b', '\n', '\ufffd', '\u202e', '\ud83d\ude00'.repeat(50),
  '__proto__', 'constructor', 'toString', '../../etc/passwd', 'NaN', 'null', 'undefined', '[]', '{}', '-1',
  '1e309', '9'.repeat(400), 'a'.repeat(5_000), '<script>alert(1)</script>', '%27%20OR%201=1', 'at://', 'did:',
]

const someTexts = () => Array.from({ length: TEXTS_EACH }, () => random.pick(texts))

test('no text makes a query fail or changes a row', async () => {
  const { world, alice } = scene
  const before = rowsOf(world.db)
  let requested = 0
  for (const method of queries()) {
    const { properties } = propertiesOf(method.nsid)
    const good = goodQuery(method)
    for (const [name, { type }] of Object.entries(properties)) {
      if (type !== 'string' && type !== 'array') continue
      for (const text of someTexts()) {
        const query = { ...good, [name]: text }
        const { status, body } = await world.ask(method.nsid, query, alice)
        judge(status, body, [method.nsid, query])
        requested++
      }
    }
  }
  expect(requested).toBeGreaterThan(1_000)
  expect(rowsOf(world.db)).toEqual(before)
})

test('nor a procedure', async () => {
  const { world, alice } = scene
  for (const { nsid } of procedures()) {
    const main = lexicons.getDefOrThrow(nsid, ['procedure']) as {
      input?: { schema?: { properties?: Record<string, Property> } }
    }
    const properties = main.input?.schema?.properties ?? {}
    for (const name of Object.keys(properties)) {
      for (const text of someTexts()) {
        const input = { actor: scene.samples.did, list: scene.samples.list, [name]: text }
        const { status, body } = await world.tell(nsid, input, alice)
        judge(status, body, [nsid, input])
      }
    }
  }
  const broken = world.db.pragma('integrity_check', { simple: true })
  expect(broken).toBe('ok')
})

/** Returns the records and accounts named in an answer. */
function namedIn(body: unknown): Set<string> {
  const text = JSON.stringify(body)
  return new Set(text.match(/at:\/\/[^"\\]+|did:plc:[a-z0-9]+|secret of [^"\\]+/g))
}

type Pages = { cursors: string[]; named: Set<string> }

async function readPages(
  { nsid }: Method,
  query: Query,
  viewer: string,
): Promise<Pages | undefined> {
  const cursors: string[] = []
  const named = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { status, body } = await scene.world.ask<{ cursor?: string }>(
      nsid,
      { ...query, cursor },
      viewer,
    )
    if (status !== 200) return undefined
    for (const value of namedIn(body)) named.add(value)
    cursor = body.cursor
    // The last page of drafts has an empty cursor, as in the reference.
    if (!cursor) return { cursors, named }
    cursors.push(cursor)
  }
  throw new Error(`${nsid}: paging does not end`)
}

const numbers = [
  '0',
  '-1',
  '1',
  '4294967296',
  '9007199254740993',
  '8640000000000000',
  '-8640000000000000',
]

/** Forges a cursor from ones that we issued. */
function forge(own: readonly string[], foreign: readonly string[]): string {
  const any = random.pick([...own, ...foreign, '1700000000000__bafyreia', '12', 'x'])
  const at = random.below(any.length)
  return random.pick([
    () => random.pick(foreign.length > 0 ? foreign : ['5']),
    () => any.slice(0, at) + random.pick([...'0a9_:-.%=~']) + any.slice(at + 1),
    () => any.slice(0, at),
    () => any + any,
    () => any.split('').reverse().join(''),
    () => any.replace(/\d+/, random.pick(numbers)),
    () => any.replaceAll(/\d+/g, random.pick(numbers)),
    () => random.pick(numbers),
    () => random.pick(texts),
    () => `${random.pick(numbers)}__${any.split('__')[1] ?? any}`,
    () => Buffer.from(any).toString('base64url'),
  ])()
}

test('a forged cursor shows nothing that paging would not, and never more than requested', async () => {
  const { world, alice, bob } = scene
  const paged = queries().filter(({ nsid }) => 'cursor' in propertiesOf(nsid).properties)
  const foreign: string[] = []
  const seen = new Map<Method, Pages>()
  for (const method of paged) {
    const query = goodQuery(method)
    const pages = await readPages(method, query, alice)
    const others = await readPages(method, query, bob)
    if (pages) seen.set(method, pages)
    foreign.push(...(pages?.cursors.slice(0, 5) ?? []), ...(others?.cursors.slice(0, 5) ?? []))
  }
  expect(seen.size).toBeGreaterThan(15)
  expect(foreign.length).toBeGreaterThan(30)
  const before = rowsOf(world.db)
  let answered = 0
  for (const [method, { cursors, named }] of seen) {
    const query = goodQuery(method)
    for (let i = 0; i < FORGERIES_EACH; i++) {
      const cursor = forge(cursors, foreign)
      const { status, body } = await world.ask(method.nsid, { ...query, cursor }, alice)
      judge(status, body, [method.nsid, cursor])
      if (status !== 200) continue
      answered++
      const more = [...namedIn({ ...body, cursor: undefined })].filter((value) => !named.has(value))
      expect(more, `${method.nsid} ${cursor}`).toEqual([])
      for (const value of Object.values(body)) {
        if (Array.isArray(value)) expect(value.length).toBeLessThanOrEqual(5)
      }
    }
  }
  expect(answered).toBeGreaterThan(20)
  expect(rowsOf(world.db)).toEqual(before)
})
