// Which label is in force: what a signed stream said, against answers with additions, omissions and silence,
// and against the order of arrival. A labeler with real signatures and sockets, read as clients do.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS } from '../../../src/base/util/durations.ts'
import { createLabels, type Labels } from '../../../src/ingest/labels/labels.ts'
import type { LabelLimits } from '../../../src/ingest/labels/labels-context.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createGuardedLookup } from '../../../src/sources/identity/guarded-lookup.ts'
import { createResolver } from '../../../src/sources/identity/resolver.ts'
import { eventually, until } from '../../support/eventually.ts'
import { frame, type LabelerDouble, startLabelerDouble } from '../../support/labeler-double.ts'
import { type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

type Feed = { feed: { post: { labels?: { val: string }[] } }[] }

let plc: PlcDouble
let labeler: LabelerDouble
let world: ServingWorld
let diskSpace: Labels
let uri: string

beforeEach(async () => {
  plc = await startPlcDouble()
  labeler = await startLabelerDouble(plc, 'labeler.test')
  world = createServingWorld({
    members: ['alice'],
    labelers: [labeler.did],
    labelCapacity: () => diskSpace,
    startAt: Date.now(),
  })
  world.follow(world.account('alice'), world.account('bob'))
  uri = world.post(world.account('bob'), 'hello').uri
})

afterEach(async () => {
  await diskSpace.stop()
  world.dispose()
  await Promise.all([labeler.close(), plc.close()])
})

/** Follows the labeler, as its stream or only by queries. */
async function open(how: 'streamed' | 'queried', limits: Partial<LabelLimits> = {}): Promise<void> {
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  diskSpace = createLabels({
    db: world.db,
    actors: world.actors,
    writer: world.writer,
    resolver: createResolver({ fetch, plcUrl: plc.url, allowPrivateHosts: true }),
    fetch,
    lookupFor: createGuardedLookup({ allowPrivateHosts: true }),
    log: { debug() {} },
    now: Date.now,
    configured: how === 'streamed' ? [labeler.did] : [],
    onWork: () => undefined,
    limits: {
      maxFollowed: 0,
      retryMs: 20,
      maxRetryMs: 50,
      gatherMs: 5,
      askStreamedAfterMs: 0,
      askOthersAfterMs: 0,
      ...limits,
    },
  })
  diskSpace.start()
  if (how === 'queried') return diskSpace.named([labeler.did], world.account('alice'))
  await until(() => labeler.connections.length > 0)
}

async function values(): Promise<string[]> {
  const headers = { 'atproto-accept-labelers': labeler.did }
  const requested = ['app.bsky.feed.getTimeline', {}, world.account('alice'), headers] as const
  const { body } = await world.ask<Feed>(...requested)
  return (body.feed[0]?.post.labels ?? []).map(({ val }) => val)
}

const shows = (...expected: string[]) =>
  eventually(async () => expect(await values()).toEqual(expected))

/** Two further queries: once the second is made, the first is answered and applied. */
async function askAgain(): Promise<void> {
  const before = labeler.queried.length
  await until(() => {
    diskSpace.requested([labeler.did], [uri])
    return labeler.queried.length >= before + 2
  })
}

const past = (seconds: number) => new Date(Date.now() - 1_000 * seconds).toISOString()

test.each(['streamed', 'queried'] as const)(
  'a %s label verifies over the fields of the lexicon, whatever else an answer holds',
  async (how) => {
    labeler.answerWith((labels) => labels.map((label, id) => ({ ...label, id, note: null })))
    await labeler.say({ uri, val: 'spam', cts: past(9) })
    await open(how)
    await shows('spam')
    await askAgain()
    await shows('spam')
  },
)

test('an answer with anything that is dropped withdraws nothing', async () => {
  await open('queried')
  await labeler.say({ uri, val: 'spam', cts: past(9) })
  await labeler.say({ uri, val: 'rude', cts: past(8) })
  await shows('spam', 'rude')
  labeler.answerWith(([, rude]) => [{ ...rude!, cts: past(1) }])
  await askAgain()
  await shows('spam', 'rude')
  labeler.answerWith(([, rude]) => [{ ...rude!, sig: undefined }])
  await askAgain()
  await shows('spam', 'rude')
  labeler.answerWith(([, rude]) => [rude!])
  await shows('rude')
})

test('silence withdraws nothing that the stream brought; a signed withdrawal in an answer does', async () => {
  labeler.answerWith(() => [])
  await open('streamed')
  await labeler.say({ uri, val: 'spam', cts: past(9) })
  await shows('spam')
  await askAgain()
  await shows('spam')
  await labeler.say({ uri, val: 'spam', neg: true, cts: past(8) }, { unheard: true })
  labeler.answerWith((_, reported) => [...reported])
  await askAgain()
  await shows()
})

test('a withdrawal that arrives before its older label holds', async () => {
  await open('streamed')
  await labeler.say({ uri, val: 'spam', neg: true, cts: past(60) })
  await labeler.say({ uri, val: 'spam', cts: past(120) })
  await labeler.say({ uri, val: 'sentinel' })
  await shows('sentinel')
  await labeler.say({ uri, val: 'spam', cts: past(10) })
  await shows('spam', 'sentinel')
})

test('microseconds tell which of two labels of one millisecond is newer', async () => {
  const within = (micros: number) => past(60).replace(/Z$/, `${micros}Z`)
  const [older, newer] = [within(100), within(900)]
  await open('streamed')
  await labeler.say({ uri, val: 'spam', neg: true, cts: newer })
  await labeler.say({ uri, val: 'spam', cts: older })
  await labeler.say({ uri, val: 'sentinel' })
  await shows('sentinel')
})

test('an answer whose cursor leads to itself is whole', async () => {
  labeler.alwaysNames('1')
  await labeler.say({ uri, val: 'spam', cts: past(9) })
  await labeler.say({ uri, val: 'rude', cts: past(8) })
  await open('queried')
  await shows('spam', 'rude')
  labeler.answerWith(([, rude]) => [rude!])
  await askAgain()
  await shows('rude')
})

test('an answer of several pages withdraws nothing', async () => {
  await labeler.say({ uri, val: 'spam', cts: past(9) })
  await labeler.say({ uri, val: 'rude', cts: past(8) })
  await open('queried')
  await shows('spam', 'rude')
  await labeler.say({ uri, val: 'late', cts: past(7) }, { unheard: true })
  const before = labeler.queried.length
  labeler.alwaysNames('1')
  labeler.answerWith(([, rude, late]) => [(labeler.queried.length - before) % 2 ? rude! : late!])
  await askAgain()
  await shows('spam', 'rude', 'late')
  await askAgain()
  await askAgain()
  await shows('spam', 'rude', 'late')
})

test('null in an answer stands for a field that the label does not have', async () => {
  labeler.answerWith((labels) => labels.map((label) => ({ cid: null, exp: null, ...label })))
  await labeler.say({ uri, val: 'spam', cts: past(9) })
  await open('queried')
  await shows('spam')
})

test('an answer in any order says what its newest label says', async () => {
  await labeler.say({ uri, val: 'spam', neg: true, cts: past(60) })
  await labeler.say({ uri, val: 'spam', cts: past(120) })
  await labeler.say({ uri, val: 'sentinel', cts: past(5) })
  labeler.answerWith((_, reported) => [...reported])
  await open('queried')
  await shows('sentinel')
})

test('an answer from between a label and its withdrawal of one moment does not restore it', async () => {
  const cts = past(60)
  await open('streamed')
  await labeler.say({ uri, val: 'spam', cts })
  await shows('spam')
  await labeler.say({ uri, val: 'spam', neg: true, cts })
  await labeler.say({ uri, val: 'sentinel' })
  await shows('sentinel')
  labeler.answerWith((_, [spam, , sentinel]) => [spam!, sentinel!])
  await askAgain()
  await shows('sentinel')
})

test('an answer is believed with a new key as soon as that is in the DID document', async () => {
  await labeler.say({ uri, val: 'old-key', cts: past(9) })
  await open('queried')
  await shows('old-key')
  await labeler.rotate()
  await labeler.say({ uri, val: 'new-key', cts: past(8) })
  await askAgain()
  await shows('old-key', 'new-key')
})

test('what a labeler has lost is withdrawn by its answers', async () => {
  await open('streamed')
  await labeler.say({ uri, val: 'lost', cts: past(9) })
  await labeler.say({ uri, val: 'kept', cts: past(8) })
  await shows('lost', 'kept')
  labeler.answerWith(([, kept]) => [kept!])
  labeler.send(frame({ op: -1 }, { error: 'FutureCursor' }))
  await until(() => labeler.connections.length > 1)
  await askAgain()
  await shows('kept')
})

test('a subject is asked about if its label on the stream could not be verified', async () => {
  await open('streamed', { askStreamedAfterMs: DAY_MS })
  const requested = (times: number) =>
    until(() => {
      diskSpace.requested([labeler.did], [uri])
      return labeler.queried.length >= times
    })
  await requested(1)
  await labeler.say({ uri, val: 'spam' }, { forged: true })
  await requested(2)
})

test.each(['streamed', 'queried'] as const)('a %s labeler that moved is found', async (how) => {
  const there = await startLabelerDouble(plc, 'there.test')
  await open(how, { restMs: 0 })
  await askAgain()
  const { service } = plc.document(there.did)!
  plc.edit(labeler.did, (document) => ({ ...document, service }))
  labeler.failWith(503)
  labeler.hangUp()
  await until(() => {
    diskSpace.requested([labeler.did], [uri])
    return (how === 'streamed' ? there.connections : there.queried).length > 0
  })
  await there.close()
})
