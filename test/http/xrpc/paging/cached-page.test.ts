// Pages that are sent again say, byte for byte, what a server without any cache says: through a random history of
// events, private acts, labels, takedowns and passing time, asked again and again as clients do. And they are
// really sent again: the same bytes, while nothing has changed.

import { afterEach, expect, test, vi } from 'vitest'
import { CachedBytes } from '../../../../src/answers/views/json/cached-bytes.ts'
import { jsonBytes } from '../../../../src/answers/views/json/ready-json.ts'
import type { Labelers } from '../../../../src/base/atproto/labelers.ts'
import { NO_LABELERS } from '../../../../src/base/atproto/labelers.ts'
import type { MethodContext } from '../../../../src/http/server/method.ts'
import { getTimeline } from '../../../../src/http/xrpc/app/bsky/feed/getTimeline.ts'
import { type AppContext, createAppContext } from '../../../../src/http/xrpc/app-context.ts'
import { createCall } from '../../../../src/http/xrpc/call.ts'
import { applyLabels } from '../../../../src/ingest/indexing/moderation/label.ts'
import { decide } from '../../../../src/ingest/indexing/moderation/moderation.ts'
import { privateAct } from '../../../support/private-acts.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { randomHistory, unreliably } from '../../../support/random-history.ts'
import { labelSomething, labelThemselves, someLabelers } from '../../../support/random-labels.ts'
import { rareActs } from '../../../support/rare-acts.ts'
import { didOf } from '../../../support/records.ts'
import { testSeed } from '../../../support/seed.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'
import type { RecordId, World } from '../../../support/world.ts'

const MEMBERS = ['person-0', 'person-1']
const MINUTE_MS = 60_000

type RequestOptions = {
  did: string
  limit: number
  cursor?: string
  labelers?: Labelers
  isByLink?: true
}

let world: ServingWorld | undefined
afterEach(() => {
  vi.useRealTimers()
  world?.dispose()
})

function start(members: string[]) {
  world = createServingWorld({ scope: 'network', members })
  // Only the clock stands still, where time must not pass between two answers.
  vi.useFakeTimers({ toFake: ['Date'], now: world.now() })
  const bare = createAppContext({ ...world.app, moderationServices: [], invalidations: undefined })
  return {
    w: world.world,
    ask: asking(world.app),
    askAnew: asking(bare),
  }
}

/** The body as the handler returns it, and what it lacks; nothing is waited for. */
function asking(app: AppContext) {
  return ({
    did,
    limit,
    cursor,
    labelers = NO_LABELERS,
    isByLink,
  }: RequestOptions): { body: unknown; missing: unknown } => {
    const context: MethodContext = {
      viewer: did,
      params: { limit, ...(cursor !== undefined && { cursor }) },
      input: undefined,
      token: undefined,
      labelers,
      header: () => undefined,
      headersWith: () => ({}),
      signal: new AbortController().signal,
      ...(isByLink && { isByLink }),
    }
    const call = createCall(app, context)
    const result = getTimeline.handler(app, call)
    if (result instanceof Promise) throw new Error('the handler has waited')
    const { uris, dids, cards } = call.reader.missing
    return { body: result.body, missing: { uris, dids, cards } }
  }
}

const textOf = (body: unknown) => Buffer.from(jsonBytes(body)).toString()

function change(w: World, random: Random): void {
  const people = MEMBERS.map(w.account)
  const [member, other] = [random.pick(people), w.account(`person-${random.below(9)}`)]
  const latest = w.sent.findLast((event) => event.kind === 'commit' && event.collection === POST)
  const acts = [
    () => privateAct(w, random, people),
    () => rareActs(w, random, 1 + random.below(3)),
    () => w.sent.length > 50 && labelSomething(w, random),
    () => labelThemselves(w, random),
    () => w.mute(member, other),
    () => w.unmute(member, other),
    () => w.follow(member, other),
    () => w.post(other),
    () => vi.setSystemTime(Date.now() + random.below(40) * MINUTE_MS),
    () => {
      if (latest?.kind !== 'commit') return
      const uri = `at://${latest.did}/${POST}/${latest.rkey}`
      const subject = random.pick([uri, uri, latest.did])
      const act = random.pick(['hide', 'show'] as const)
      w.run((ctx) => decide(ctx, { act, subject, by: 'tester', reason: 'a test' }))
    },
  ]
  random.pick(acts)()
}

const POST = 'app.bsky.feed.post'

test('through a random history, every answer is the one without a cache', () => {
  const random = createRandom(testSeed('kept pages'))
  const { w, ask, askAnew } = start(MEMBERS)
  const sets = [NO_LABELERS, ...Array.from({ length: 3 }, () => someLabelers(w, random))]
  for (const member of MEMBERS)
    for (let i = 0; i < 6; i++) w.follow(w.account(member), w.account(`person-${i}`))
  const events = unreliably(randomHistory(w, random, 200), random)
  const cursors = new Map<string, string>()
  const last = new Map<string, ReturnType<typeof ask>>()
  let again = 0
  let anew = 0

  function compare(requested: RequestOptions): void {
    const key = `${requested.did} ${requested.limit} ${requested.cursor}`
    const { body, missing } = ask(requested)
    const naive = askAnew(requested)
    expect(textOf(body)).toBe(textOf(naive.body))
    const before = last.get(key)
    if (body instanceof CachedBytes && before?.body === body) {
      expect(missing).toEqual(before.missing)
      again++
    } else anew++
    last.set(key, { body, missing })
    const { cursor } = JSON.parse(textOf(body))
    if (cursor !== undefined && requested.limit === 3) cursors.set(requested.did, cursor)
  }

  for (let at = 0; at < events.length; ) {
    const batch = events.slice(at, at + 1 + random.below(4))
    at += batch.length
    if (random.chance(0.6)) w.apply(batch)
    else w.apply(batch.slice(0, 1))
    if (random.chance(0.6)) change(w, random)
    const did = w.account(random.pick(MEMBERS))
    const labelers = random.pick(random.chance(0.7) ? [sets[0]!] : sets)
    for (let times = 1 + random.below(4); times > 0; times--) {
      for (const limit of [1, 3, 50]) compare({ did, limit, labelers })
      const cursor = cursors.get(did)
      if (cursor !== undefined) compare({ did, limit: 3, cursor, labelers })
    }
    if (random.chance(0.1)) compare({ did, limit: 3, isByLink: true })
  }
  expect(again).toBeGreaterThan(100)
  expect(anew).toBeGreaterThan(100)
})

test('a page is kept the second time, and sent until something in it changes', () => {
  const { w, ask } = start(['alice'])
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
  w.follow(alice, bob)
  const post = w.post(bob, 'the first')
  const request = { did: alice, limit: 50 }
  expect(ask(request).body).not.toBeInstanceOf(CachedBytes)
  const stored = ask(request).body
  expect(stored).toBeInstanceOf(CachedBytes)
  expect(ask(request).body).toBe(stored)

  w.like(carol, w.post(carol, 'nowhere on the page'))
  expect(ask(request).body).toBe(stored)

  w.like(carol, post)
  const liked = ask(request).body
  expect(liked).not.toBe(stored)
  expect(textOf(liked)).toContain('"likeCount":1')
  expect(ask(request).body).toBe(liked)

  w.post(bob, 'the second')
  const longer = ask(request).body
  expect(textOf(longer)).toContain('the second')
  expect(ask({ ...request, limit: 1 }).body).not.toBe(longer)
})

type Scene = {
  w: World
  alice: string
  bob: string
  carol: string
  post: RecordId
  like: RecordId
}
const NOW = () => new Date(Date.now()).toISOString()

/** Each shows on the page of alice, who follows bob and carol. */
const changes: Record<string, (scene: Scene) => void> = {
  'her own like': ({ w, alice, post }) => w.like(alice, post),
  'the end of a like by somebody she follows': ({ w, like }) => w.delete(like),
  'the name of an author': ({ w, bob }) => w.profile(bob, { displayName: 'Bob the second' }),
  'her mute of an author': ({ w, alice, bob }) => w.mute(alice, bob),
  'a follow of her by an author': ({ w, alice, bob }) => w.follow(bob, alice),
  'a block between an author and a liker': ({ w, bob, carol }) => w.block(bob, carol),
  'a label on a post': ({ w, post, carol }) => label(w, carol, post.uri),
  'a label on an author': ({ w, bob, carol }) => label(w, carol, bob),
  'a takedown of a post': ({ w, post: { uri } }) =>
    w.run((ctx) => decide(ctx, { act: 'hide', subject: uri, by: 'tester', reason: 'a test' })),
  'the end of a status': () => vi.setSystemTime(Date.now() + 11 * MINUTE_MS),
  'a reply': ({ w, carol, post }) => w.post(carol, { reply: { parent: post } }),
  'a gate': ({ w, post }) => w.threadgate(post, []),
}

function label(w: World, src: string, uri: string): void {
  const record = { uri, val: 'rude', cts: NOW(), neg: false, cid: undefined, exp: undefined }
  w.run((ctx) => applyLabels(ctx, src, [record]))
}

test.each(Object.entries(changes))('%s shows at once', (_, change) => {
  const { w, ask, askAnew } = start(['alice', 'carol'])
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
  for (const did of [alice, bob, carol]) w.profile(did)
  for (const did of [bob, carol]) w.follow(alice, did)
  const status = { status: 'app.bsky.actor.status#live', durationMinutes: 10, createdAt: NOW() }
  w.create(bob, 'app.bsky.actor.status', status, 'self')
  const post = w.post(bob, 'liked by carol')
  const like = w.like(carol, post)
  const request = { did: alice, limit: 50, labelers: { dids: [carol], redact: new Set<string>() } }
  const answers = [1, 2, 3].map(() => ask(request).body)
  expect(answers[2]).toBeInstanceOf(CachedBytes)
  expect(answers[2]).toBe(answers[1])
  const before = textOf(answers[2])
  change({ w, alice, bob, carol, post, like })
  const after = textOf(ask(request).body)
  expect(after).not.toBe(before)
  expect(after).toBe(textOf(askAnew(request).body))
})

test('a page that always changes is kept only now and then', () => {
  const { w, ask } = start(['alice'])
  const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]
  w.follow(alice, bob)
  let retained = 0
  for (let i = 0; i < 64; i++) {
    w.post(bob, `post ${i}`)
    const { body } = ask({ did: alice, limit: 50 })
    expect(textOf(body)).toContain(`post ${i}`)
    if (body instanceof CachedBytes) retained++
  }
  expect(retained).toBeGreaterThan(2)
  expect(retained).toBeLessThan(10)
})

test('what one request alone may see is not sent to another', () => {
  const { w, ask } = start(['alice'])
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
  for (const did of [bob, carol]) w.follow(alice, did)
  w.post(bob, 'by the muted')
  w.post(carol, 'by another')
  w.mute(alice, bob)
  for (let i = 0; i < 3; i++) {
    const own = textOf(ask({ did: alice, limit: 50 }).body)
    expect(own).not.toContain('by the muted')
    const shared = textOf(ask({ did: alice, limit: 50, isByLink: true }).body)
    expect(shared).toContain('by the muted')
  }
})
