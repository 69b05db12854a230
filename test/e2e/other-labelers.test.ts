// Real labelers beside the product: what is shown is what they say now, by their streams and by their answers, over
// restarts, lost stores, new keys and moves. Ozone is skipped where no Postgres is installed.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../src/base/util/durations.ts'
import { createLabels, type Labels } from '../../src/ingest/labels/labels.ts'
import { createGuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'
import { createGuardedLookup } from '../../src/sources/identity/guarded-lookup.ts'
import { createResolver } from '../../src/sources/identity/resolver.ts'
import { eventually, until } from '../support/eventually.ts'
import { type PlcDouble, startPlcDouble } from '../support/plc-double.ts'
import { createServingWorld, type ServingWorld } from '../support/serving-world.ts'
import type { RecordId } from '../support/world.ts'
import { findPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { createRealLabeler, type RealLabeler } from './support/real-labelers.ts'

const postgresHome = findPostgres()
if (!postgresHome) console.warn('other-labelers: Ozone is SKIPPED, no Postgres is installed')

type Shown = { val: string; cid?: string }
type Feed = { feed: { post: { labels?: Shown[]; author: { labels?: Shown[] } } }[] }

let postgres: Postgres | undefined
beforeAll(async () => {
  if (postgresHome) postgres = await startPostgres(postgresHome)
})
afterAll(() => postgres?.stop())

describe.each([
  { kind: 'skyware' as const, isHere: true },
  { kind: 'ozone' as const, isHere: postgresHome !== undefined },
])('$kind', ({ kind, isHere }) => {
  let plc: PlcDouble
  let labeler: RealLabeler
  let world: ServingWorld
  let labels: Labels | undefined
  let post: RecordId
  let dropped: string[]
  let ahead: number

  beforeEach(async ({ skip }) => {
    if (!isHere) return skip('no Postgres')
    dropped = []
    ahead = 0
    plc = await startPlcDouble()
    labeler = await createRealLabeler(kind, { plc, postgresUrl: postgres?.url })
    labeler.declare()
    await labeler.start({ isEmpty: true })
    world = createServingWorld({
      members: ['alice'],
      labelers: [labeler.did],
      labelCapacity: () => labels,
      startAt: Date.now(),
    })
    world.follow(world.account('alice'), world.account('bob'))
    post = world.post(world.account('bob'), 'hello')
  })

  afterEach(async () => {
    vi.useRealTimers()
    await labels?.stop()
    world.dispose()
    await labeler.dispose()
    await plc.close()
  })

  /** Follows the labeler by its stream, or only by questions. */
  function open(how: 'streamed' | 'queried' = 'streamed'): void {
    const fetch = createGuardedFetch({ allowPrivateHosts: true })
    const now = () => Date.now() + ahead
    labels = createLabels({
      db: world.db,
      actors: world.actors,
      writer: world.writer,
      resolver: createResolver({ fetch, plcUrl: plc.url, allowPrivateHosts: true, now }),
      fetch,
      lookupFor: createGuardedLookup({ allowPrivateHosts: true }),
      log: { debug() {} },
      now,
      configured: how === 'streamed' ? [labeler.did] : [],
      onWork: () => undefined,
      onDropped: (reason) => void dropped.push(reason),
      limits: {
        maxFollowed: 0,
        retryMs: 20,
        maxRetryMs: 50,
        gatherMs: 5,
        restMs: 50,
        askOthersAfterMs: 0,
      },
    })
    labels.start()
    if (how === 'queried') labels.named([labeler.did], world.account('alice'))
  }

  async function shown(): Promise<string[]> {
    labels?.requested([labeler.did], [post.uri, world.account('bob')])
    const headers = { 'atproto-accept-labelers': labeler.did }
    const requested = ['app.bsky.feed.getTimeline', {}, world.account('alice'), headers] as const
    const { body } = await world.ask<Feed>(...requested)
    const { labels: ofPost = [], author } = body.feed[0]!.post
    return [...ofPost, ...(author.labels ?? [])].map(({ val }) => val).sort()
  }

  const shows = (...expected: string[]) =>
    eventually(async () => expect(await shown()).toEqual(expected))
  const on = () => ({ uri: post.uri, cid: post.cid })

  test.each(['streamed', 'queried'] as const)('%s: set, withdrawn, set again', async (how) => {
    open(how)
    await labeler.say({ ...on(), val: 'spam' })
    await labeler.say({ uri: world.account('bob'), val: 'rude' })
    await shows('rude', 'spam')
    await labeler.say({ ...on(), val: 'spam', neg: true })
    await shows('rude')
    await labeler.say({ uri: world.account('bob'), val: 'rude', neg: true })
    await shows()
    await labeler.say({ ...on(), val: 'spam' })
    await shows('spam')
  })

  test.each(['streamed', 'queried'] as const)('%s: expires', async (how) => {
    open(how)
    await labeler.say({ ...on(), val: 'for-now', hours: 1 })
    await labeler.say({ ...on(), val: 'for-good' })
    await shows('for-good', 'for-now')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR_MS })
    await shows('for-good')
  })

  test('restarted with what it stored: its stream goes on', async () => {
    open()
    await labeler.say({ ...on(), val: 'first' })
    await shows('first')
    await labeler.stop()
    await labeler.start()
    await labeler.say({ ...on(), val: 'second' })
    await labeler.say({ ...on(), val: 'first', neg: true })
    await shows('second')
  })

  test('restarted with an empty store: what it has now holds', async () => {
    open()
    for (const val of ['one', 'three', 'two']) await labeler.say({ ...on(), val })
    await shows('one', 'three', 'two')
    await labeler.start({ isEmpty: true })
    await labeler.say({ ...on(), val: 'new' })
    await shows('new')
  })

  test('a new key before the DID document names it', async () => {
    open()
    await labeler.say({ ...on(), val: 'old-key' })
    await shows('old-key')
    await labeler.start({ hasNewKey: true })
    await labeler.say({ ...on(), val: 'between' })
    await labeler.say({ uri: world.account('bob'), val: 'account' })
    await until(() => dropped.filter((reason) => reason === 'unsigned').length >= 2)
    labeler.declare()
    // Its document is looked up again at most so often.
    ahead = MINUTE_MS
    await labeler.say({ ...on(), val: 'after' })
    await shows('account', 'after', 'between', 'old-key')
  })

  test('moved to another address', async () => {
    open()
    await labeler.say({ ...on(), val: 'here' })
    await shows('here')
    await labeler.start({ moves: true })
    labeler.declare()
    ahead = MINUTE_MS
    await labeler.say({ ...on(), val: 'there' })
    await shows('here', 'there')
  })

  test('a version labelled, and later another withdrawn: withdrawn, though Ozone keeps both', async () => {
    open()
    const other = { uri: post.uri, cid: world.post(world.account('carol'), 'x').cid }
    await labeler.say({ ...on(), val: 'spam' })
    await labeler.say({ ...other, val: 'spam' })
    await shows('spam')
    await labeler.say({ ...other, val: 'spam', neg: true })
    await labeler.say({ ...on(), val: 'sentinel' })
    await shows('sentinel')
  })
})
