// Real labelers beside the product: what is shown is what they say now, by their streams and by their answers, over
// restarts, lost stores, new keys and moves. Ozone is skipped where no Postgres is installed.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../src/base/util/durations.ts'
import { until } from '../support/eventually.ts'
import { type LabelledWorld, useLabelledWorld } from './support/labelled-world.ts'
import { findPostgres, type Postgres, startPostgres } from './support/postgres.ts'

const postgresHome = findPostgres()
if (!postgresHome) console.warn('other-labelers: Ozone is SKIPPED, no Postgres is installed')

const kinds = ['skyware', 'ozone'] as const
let postgres: Postgres | undefined
let w: LabelledWorld
const on = () => ({ uri: w.post.uri, cid: w.post.cid })
const take = (started: LabelledWorld) => {
  w = started
}

beforeAll(async () => {
  if (postgresHome) postgres = await startPostgres(postgresHome)
})
afterAll(() => postgres?.stop())
afterEach(() => void vi.useRealTimers())

describe.each(kinds)('%s: what it says', (kind) => {
  useLabelledWorld(kind, () => postgres?.url, take)

  test.each(['streamed', 'queried'] as const)('%s: set, withdrawn, set again', async (how) => {
    w.open(how)
    await w.labeler.say({ ...on(), val: 'spam' })
    await w.labeler.say({ uri: w.author, val: 'rude' })
    await w.shows('rude', 'spam')
    await w.labeler.say({ ...on(), val: 'spam', neg: true })
    await w.shows('rude')
    await w.labeler.say({ uri: w.author, val: 'rude', neg: true })
    await w.shows()
    await w.labeler.say({ ...on(), val: 'spam' })
    await w.shows('spam')
  })

  test.each(['streamed', 'queried'] as const)('%s: expires', async (how) => {
    w.open(how)
    await w.labeler.say({ ...on(), val: 'for-now', hours: 1 })
    await w.labeler.say({ ...on(), val: 'for-good' })
    await w.shows('for-good', 'for-now')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR_MS })
    await w.shows('for-good')
  })

  test('a version labelled, and later another withdrawn: withdrawn, though Ozone keeps both', async () => {
    w.open('streamed')
    const other = { uri: w.post.uri, cid: w.world.post(w.world.account('carol'), 'x').cid }
    await w.labeler.say({ ...on(), val: 'spam' })
    await w.labeler.say({ ...other, val: 'spam' })
    await w.shows('spam')
    await w.labeler.say({ ...other, val: 'spam', neg: true })
    await w.labeler.say({ ...on(), val: 'sentinel' })
    await w.shows('sentinel')
  })
})

describe.each(kinds)('%s: what becomes of it', (kind) => {
  useLabelledWorld(kind, () => postgres?.url, take)

  test('restarted with what it stored: its stream goes on', async () => {
    w.open('streamed')
    await w.labeler.say({ ...on(), val: 'first' })
    await w.shows('first')
    await w.labeler.stop()
    await w.labeler.start()
    await w.labeler.say({ ...on(), val: 'second' })
    await w.labeler.say({ ...on(), val: 'first', neg: true })
    await w.shows('second')
  })

  test('restarted with an empty store: what it has now holds', async () => {
    w.open('streamed')
    for (const val of ['one', 'three', 'two']) await w.labeler.say({ ...on(), val })
    await w.shows('one', 'three', 'two')
    await w.labeler.start({ isEmpty: true })
    await w.labeler.say({ ...on(), val: 'new' })
    await w.shows('new')
  })

  test('a new key before the DID document names it: its labels hold once it does', async () => {
    w.open('streamed')
    await w.labeler.say({ ...on(), val: 'old-key' })
    await w.shows('old-key')
    await w.labeler.start({ hasNewKey: true })
    await w.labeler.say({ ...on(), val: 'between' })
    await w.labeler.say({ uri: w.author, val: 'account' })
    await until(() => w.dropped.filter((reason) => reason === 'unsigned').length >= 2)
    w.labeler.declare()
    // Its document is looked up again at most so often.
    w.pass(MINUTE_MS)
    await w.labeler.say({ ...on(), val: 'after' })
    await w.shows('account', 'after', 'between', 'old-key')
  })

  test('moved to another address: its stream goes on from there', async () => {
    w.open('streamed')
    await w.labeler.say({ ...on(), val: 'here' })
    await w.shows('here')
    await w.labeler.start({ moves: true })
    w.labeler.declare()
    w.pass(MINUTE_MS)
    await w.labeler.say({ ...on(), val: 'there' })
    await w.shows('here', 'there')
    expect(w.dropped).toEqual([])
  })
})
