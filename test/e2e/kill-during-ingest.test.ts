// kill -9 in the middle of a few hundred events per second, several times. Afterwards every XRPC answer is
// compared with the sum of the double's own record of its stream: none lost, none doubled.
//
// The accounts have no PDSs, so that the stream is the only source for repairs.

import { setTimeout as sleep } from 'node:timers/promises'
import { type DidString, XrpcResponseValidationError } from '@atproto/lex'
import { app } from '@bsky/sdk/lexicons'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { createJetstreamDouble, type JetstreamDouble } from '../support/jetstream-double/double.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../support/plc-double.ts'
import { createRandom } from '../support/random.ts'
import { testSeed } from '../support/seed.ts'
import { createDirectReader, type DirectReader } from './support/direct-reader.ts'
import { freePort } from './support/free-port.ts'
import { createLatencies } from './support/latencies.ts'
import { createLoad, type Load } from './support/load.ts'
import { foldEntries, type Model } from './support/naive-model.ts'
import {
  type FeedViewPost,
  fullAuthorFeed,
  fullFollowers,
  fullFollows,
  fullTimeline,
  postViews,
} from './support/reading.ts'
import { createSlipstream, type Slipstream } from './support/slipstream.ts'

const SEED = testSeed('kill -9 during ingest')
const WRITERS = 30
const READERS = 6
const KILLS = 4
const EVENTS_PER_SECOND = 300
/** Events sent around each kill: a machine that starts a server slowly gets no more of them than a fast one. */
const EVENTS_OF_A_KILL = 1_500
/** Events sent beside the timed posts. */
const EVENTS_BESIDE_POSTS = 3_000
const TICK_MS = 10
/** Delivery is at least once, even without failures. */
const DUPLICATE_CHANCE = 0.05
const TIMED_POSTS = 40
const LOG_TAIL = 6_000

const random = createRandom(SEED)
const latencies = createLatencies()
let plc: PlcDouble
let double: JetstreamDouble
let slipstream: Slipstream
let load: Load
let readers: DirectReader[]
let writers: PlcAccount[]
/** An author who only writes the timed posts, and a reader who follows only this author. */
let quiet: { author: PlcAccount; reader: DirectReader; load: Load }

beforeAll(async () => {
  plc = await startPlcDouble()
  double = await createJetstreamDouble()
  double.behaviour.duplicateChance = DUPLICATE_CHANCE
  const accounts: PlcAccount[] = []
  for (let i = 0; i < WRITERS + READERS + 2; i++) {
    const account = await plc.create({ handle: `account${i}.test` })
    plc.edit(account.did, (document) => ({ ...document, service: [] }))
    accounts.push(account)
  }
  const dids = accounts.map(({ did }) => did)
  slipstream = createSlipstream(await freePort(), {
    SLIPSTREAM_JETSTREAM_HOSTS: double.url,
    SLIPSTREAM_PLC_URL: plc.url,
    SLIPSTREAM_MEMBERS: dids.join(','),
  })
  writers = accounts.slice(0, WRITERS)
  const [quietReader, quietAuthor] = [accounts.pop()!, accounts.pop()!]
  quiet = {
    author: quietAuthor,
    reader: createDirectReader(quietReader, slipstream),
    load: createLoad({ random, dids: [], writers: [] }),
  }
  readers = accounts.slice(WRITERS).map((account) => createDirectReader(account, slipstream))
  const crowd = accounts.map(({ did }) => did)
  load = createLoad({ random, dids: crowd, writers: crowd.slice(0, WRITERS) })
  await slipstream.start()
  await eventually(() => expect(double.openConnections()).toBeGreaterThan(0))
  double.emit(quiet.load.follow(quietReader.did, quietAuthor.did))
  for (const did of crowd) {
    const subjects = crowd.slice(0, WRITERS).filter((other) => other !== did)
    while (subjects.length > 20) double.emit(load.follow(did, takeOne(subjects)))
  }
})

afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  console.error(`Slipstream’s log:\n${slipstream?.log().slice(-LOG_TAIL)}`)
})

afterAll(async () => {
  console.info(latencies.table())
  await slipstream?.dispose()
  await double?.close()
  await plc?.close()
})

test(`a frame is visible soon after it was sent`, async () => {
  await timePosts('a frame is sent → a follower sees it')
  expect(latencies.table()).toContain('a frame is sent')
})

test(`no event is lost or counted twice over ${KILLS} × kill -9 under ${EVENTS_PER_SECOND} events/s`, async () => {
  const sending = startLoad()
  const stopReading = startReading()
  try {
    for (let i = 0; i < KILLS; i++) {
      sending.send(EVENTS_OF_A_KILL)
      await sleep(300 + random.below(1_500))
      await slipstream.kill()
      if (random.chance(0.5)) await sleep(random.below(500))
      await slipstream.start()
    }
    await caughtUp()
    sending.send(EVENTS_BESIDE_POSTS)
    await timePosts(`the same under ${EVENTS_PER_SECOND} events/s`)
  } finally {
    sending.stop()
    await stopReading()
  }
  await caughtUp()
  const sent = double.entries().length
  console.info(`${sent} events were sent over ${double.connections().length} connections`)
  const begin = performance.now()
  await compare(foldEntries(double.entries()))
  console.info(`compared in ${Math.round(performance.now() - begin)} ms`)
})

test('the same is shown after a clean stop and start', async () => {
  await slipstream.stop()
  await slipstream.start()
  await compare(foldEntries(double.entries()))
})

function takeOne<T>(items: T[]): T {
  return items.splice(random.below(items.length), 1)[0]!
}

/** Sends events at a steady rate, as many as it was given. */
function startLoad(): { send: (more: number) => void; stop: () => void } {
  let last = performance.now()
  let due = 0
  let budget = 0
  const timer = setInterval(() => {
    const now = performance.now()
    due = Math.min(budget, due + ((now - last) / 1000) * EVENTS_PER_SECOND)
    last = now
    for (; due >= 1; due--, budget--) double.emit(load.next())
  }, TICK_MS)
  return {
    send(more) {
      budget += more
    },
    stop: () => clearInterval(timer),
  }
}

/** Readers send requests meanwhile, whenever a server is up. */
function startReading(): () => Promise<void> {
  let isOver = false
  async function read(): Promise<void> {
    while (!isOver) {
      const params = { limit: 30 }
      await random
        .pick(readers)
        .client()
        .call(app.bsky.feed.getTimeline, params)
        .catch((error) => {
          if (error instanceof XrpcResponseValidationError) throw error
        })
      await sleep(50)
    }
  }
  const reading = read()
  reading.catch(() => undefined)
  return () => {
    isOver = true
    return reading
  }
}

async function caughtUp(): Promise<void> {
  const last = quiet.load.post(quiet.author.did, 'after all that was sent so far')
  double.emit(last)
  await eventually(async () => {
    const uri = `at://${last.did}/${last.collection}/${last.rkey}` as const
    expect(await postViews(readers[0]!, [{ uri: uri as `at://did:plc:${string}` }])).toHaveLength(1)
  })
}

async function timePosts(name: string): Promise<void> {
  const newest = async () => {
    const { feed } = await quiet.reader.client().call(app.bsky.feed.getTimeline, { limit: 1 })
    return feed[0]?.post.uri.split('/').at(-1)
  }
  await eventually(newest)
  for (let i = 0; i < TIMED_POSTS; i++) {
    const post = quiet.load.post(quiet.author.did, `timed ${i}`)
    const begin = performance.now()
    double.emit(post)
    await eventually(async () => expect(await newest()).toBe(post.rkey), { pollMs: 1 })
    latencies.add(name, performance.now() - begin)
    await sleep(random.below(20))
  }
}

async function compare(model: Model): Promise<void> {
  const asker = readers[0]!
  const uris = [...model.posts.keys()]
  for (let i = 0; i < uris.length; i += 25) {
    const requested = uris.slice(i, i + 25)
    const views = await postViews(
      asker,
      requested.map((uri) => ({ uri: uri as `at://did:plc:${string}` })),
    )
    const visible = Object.fromEntries(views.map(({ uri, ...view }) => [uri, counts(view)]))
    const expected = requested.map((uri) => [uri, model.posts.get(uri)] as const)
    expect(visible).toEqual(Object.fromEntries(expected.filter(([, counts]) => counts)))
  }
  for (const { did } of [...writers, ...readers]) {
    const actor = did as DidString
    expect((await fullFollows(asker, actor)).toSorted()).toEqual(model.follows(did).toSorted())
    expect((await fullFollowers(asker, actor)).toSorted()).toEqual(model.followers(did).toSorted())
    expect((await fullAuthorFeed(asker, actor)).map(presentedAs)).toEqual(model.authorFeed(did))
  }
  for (const reader of [...readers, quiet.reader]) {
    expect((await fullTimeline(reader, 100)).map(presentedAs)).toEqual(model.timeline(reader.did))
  }
}

function counts({ likeCount, repostCount, replyCount, quoteCount }: Partial<FeedViewPost['post']>) {
  return { likeCount, repostCount, replyCount, quoteCount }
}

function presentedAs({ post, reason }: FeedViewPost): string {
  const repost = (reason as { uri?: string } | undefined)?.uri
  return repost ? `${post.uri} ← ${repost}` : post.uri
}
