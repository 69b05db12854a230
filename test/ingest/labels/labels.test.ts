// Labels end to end: a labeler with real signatures and sockets, the label room over a real database, and
// answers from it, as clients read them.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLabels, type Labels } from '../../../src/ingest/labels/labels.ts'
import type { LabelLimits, LabelsContext } from '../../../src/ingest/labels/labels-context.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createGuardedLookup } from '../../../src/sources/identity/guarded-lookup.ts'
import { createResolver } from '../../../src/sources/identity/resolver.ts'
import { eventually, until } from '../../support/eventually.ts'
import { frame, type LabelerDouble, startLabelerDouble } from '../../support/labeler-double.ts'
import { type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

type Label = { src: string; uri: string; val: string; neg?: boolean; exp?: string }
type Profile = { did: string; labels?: Label[] }
type Post = { uri: string; author: Profile; labels?: Label[] }
type Item = { post: Post; reply?: { parent: { $type: string; uri: string } } }
type Feed = { feed: Item[] }

const TIMELINE = 'app.bsky.feed.getTimeline'
const ALICE = 'alice'

let plc: PlcDouble
let labeler: LabelerDouble
let other: LabelerDouble
let world: ServingWorld
let diskSpace: Labels | undefined

beforeEach(async () => {
  plc = await startPlcDouble()
  labeler = await startLabelerDouble(plc, 'labeler.test')
  other = await startLabelerDouble(plc, 'other.test')
  world = createServingWorld({
    members: [ALICE],
    labelers: [labeler.did],
    labelCapacity: () => diskSpace,
    startAt: Date.now(),
  })
})

afterEach(async () => {
  await diskSpace?.stop()
  diskSpace = undefined
  vi.useRealTimers()
  world.dispose()
  await Promise.all([labeler.close(), other.close(), plc.close()])
})

function openSpace(
  limits: Partial<LabelLimits> = {},
  onDropped?: LabelsContext['onDropped'],
): Labels {
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const made = createLabels({
    db: world.db,
    actors: world.actors,
    writer: world.writer,
    resolver: createResolver({ fetch, plcUrl: plc.url, allowPrivateHosts: true }),
    fetch,
    lookupFor: createGuardedLookup({ allowPrivateHosts: true }),
    log: { debug() {} },
    now: Date.now,
    configured: [labeler.did],
    onWork: () => undefined,
    onDropped,
    limits: { retryMs: 20, maxRetryMs: 50, gatherMs: 5, ...limits },
  })
  diskSpace = made
  made.start()
  return made
}

/** Retries until the answer is right; fails with the last one. */
function answered<T>(read: () => Promise<T> | T, isRight: (value: T) => boolean): Promise<T> {
  return eventually(async () => {
    const value = await read()
    expect(isRight(value), JSON.stringify(value)).toBe(true)
    return value
  })
}

const did = (name: string) => world.account(name)
const accept = (...labelers: string[]) => ({ 'atproto-accept-labelers': labelers.join(', ') })

async function timeline(headers: Record<string, string> = {}): Promise<Item[]> {
  const { status, body } = await world.ask<Feed>(TIMELINE, {}, did(ALICE), headers)
  expect(status).toBe(200)
  return body.feed
}

const valuesOf = (labels: Label[] | undefined) => (labels ?? []).map(({ val }) => val)
const connected = (of: LabelerDouble, times = 1) =>
  answered(
    () => of.connections.length,
    (count) => count >= times,
  )

describe('labels by a stream', () => {
  test('are shown on posts and profiles, without their signature', async () => {
    openSpace()
    const bob = did('bob')
    world.follow(did(ALICE), bob)
    world.profile(bob, { displayName: 'Bob' })
    const post = world.post(bob, 'hello')
    await connected(labeler)
    await labeler.say({ uri: post.uri, cid: post.cid, val: 'spoiler' })
    await labeler.say({ uri: bob, val: 'rude' })
    await labeler.say({ uri: `at://${bob}/app.bsky.actor.profile/self`, val: 'bad-picture' })
    const [item] = await answered(
      timeline,
      ([item]) => (item?.post.author.labels?.length ?? 0) === 2,
    )
    expect(item!.post.labels).toEqual([
      { src: labeler.did, uri: post.uri, cid: post.cid, val: 'spoiler', cts: expect.any(String) },
    ])
    expect(valuesOf(item!.post.author.labels)).toEqual(['rude', 'bad-picture'])
  })

  test('disappear when negated, and are not restored by an older label', async () => {
    openSpace()
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    await connected(labeler)
    const earlier = new Date(Date.now() - 5_000).toISOString()
    await labeler.say({ uri: post.uri, val: 'spoiler' })
    await answered(timeline, ([item]) => item?.post.labels?.length === 1)
    await labeler.say({ uri: post.uri, val: 'spoiler', neg: true })
    await answered(timeline, ([item]) => item?.post.labels?.length === 0)
    await labeler.say({ uri: post.uri, val: 'spoiler', cts: earlier })
    await labeler.say({ uri: post.uri, val: 'sentinel' })
    const [item] = await answered(timeline, ([item]) => item?.post.labels?.length === 1)
    expect(valuesOf(item!.post.labels)).toEqual(['sentinel'])
  })

  test('withdrawn in an answer before the stream negates them are not restored by the same or an older label', async () => {
    labeler.answerWith((_, reported) => [...reported])
    const opened = openSpace({ askStreamedAfterMs: 0 })
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    await connected(labeler)
    const cts = new Date().toISOString()
    const earlier = new Date(Date.now() - 5_000).toISOString()
    await labeler.say({ uri: post.uri, val: 'spoiler', cts })
    await answered(timeline, ([item]) => item?.post.labels?.length === 1)
    await labeler.say({ uri: post.uri, val: 'spoiler', neg: true }, { unheard: true })
    const requested = () => {
      opened.requested([labeler.did], [post.uri])
      return timeline()
    }
    await answered(requested, ([item]) => item?.post.labels?.length === 0)
    for (const [i, time] of [cts, earlier].entries()) {
      await labeler.say({ uri: post.uri, val: 'spoiler', cts: time })
      await labeler.say({ uri: post.uri, val: `sentinel${i}` })
      const [item] = await answered(timeline, ([item]) => item?.post.labels?.length === i + 1)
      expect(valuesOf(item!.post.labels)).toEqual(['sentinel0', 'sentinel1'].slice(0, i + 1))
    }
  })

  test('expire at their stated time', async () => {
    openSpace()
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    await connected(labeler)
    const expMs = Date.now() + 3_600_000
    const exp = new Date(expMs).toISOString()
    await labeler.say({ uri: post.uri, val: 'for-now', exp })
    await labeler.say({ uri: post.uri, val: 'for-good' })
    const [item] = await answered(timeline, ([item]) => item?.post.labels?.length === 2)
    expect(item!.post.labels![0]!.exp).toBe(exp)
    vi.useFakeTimers({ toFake: ['Date'], now: expMs + 1 })
    await answered(timeline, ([item]) => valuesOf(item?.post.labels).join() === 'for-good')
  })

  test('that are forged or garbled change nothing, end no stream, and are counted by reason', async () => {
    const dropped: string[] = []
    openSpace({}, (reason) => void dropped.push(reason))
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    await connected(labeler)
    await labeler.say({ uri: post.uri, val: 'forged' }, { forged: true })
    labeler.send(Buffer.from('rubbish'))
    labeler.send(frame({ op: 1, t: '#labels' }, { seq: 'x', labels: 7 }))
    labeler.send(frame({ op: 1, t: '#info' }, { name: 'OutdatedCursor' }))
    await labeler.say({ uri: 'at://bob.test/app.bsky.feed.post/x', val: 'nowhere' })
    await labeler.say({ uri: post.uri, val: 'no time', cts: 'yesterday' })
    await labeler.say({ uri: post.uri, val: 'sound' })
    const [item] = await answered(timeline, ([item]) => item?.post.labels?.length === 1)
    expect(valuesOf(item!.post.labels)).toEqual(['sound'])
    expect(labeler.connections).toHaveLength(1)
    // Those of the stream, and some again if the labeler was queried meanwhile.
    const countOf = (reason: string) => dropped.filter((value) => value === reason).length
    expect(countOf('unreadable')).toBeGreaterThanOrEqual(4)
    expect(countOf('unsigned')).toBeGreaterThanOrEqual(1)
  })

  test('are valid with a new key as soon as it is in the DID document', async () => {
    openSpace()
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    await connected(labeler)
    await labeler.say({ uri: post.uri, val: 'old-key' })
    await answered(timeline, ([item]) => item?.post.labels?.length === 1)
    await labeler.rotate()
    await labeler.say({ uri: post.uri, val: 'new-key' })
    await answered(timeline, ([item]) => item?.post.labels?.length === 2)
  })

  test('resume where they were after a disconnect, and after a restart', async () => {
    // Otherwise a question may bring a label before the stream has resumed.
    labeler.answerWith(() => [])
    openSpace()
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    await connected(labeler)
    await labeler.say({ uri: post.uri, val: 'first' })
    await answered(timeline, ([item]) => item?.post.labels?.length === 1)
    labeler.failWith(503)
    labeler.hangUp()
    await labeler.say({ uri: post.uri, val: 'second' })
    labeler.failWith(undefined)
    await answered(timeline, ([item]) => item?.post.labels?.length === 2)
    await diskSpace!.stop()
    await labeler.say({ uri: post.uri, val: 'third' })
    openSpace()
    await answered(timeline, ([item]) => item?.post.labels?.length === 3)
    // A busy machine may take several attempts.
    expect([...new Set(labeler.connections)]).toEqual(['0', '1', '2'])
  })

  test('skip a past that is too long, which is queried instead', async () => {
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    const longAgo = (n: number) => new Date(Date.UTC(2024, 0, 1) + n).toISOString()
    await labeler.say({ uri: post.uri, val: 'ancient', cts: longAgo(0) })
    for (let n = 1; n < 30; n++)
      await labeler.say({ uri: did('nobody'), val: `v${n}`, cts: longAgo(n) })
    openSpace({ maxPast: 10 })
    await connected(labeler, 2)
    expect(labeler.connections).toEqual(['0', undefined])
    await labeler.say({ uri: post.uri, val: 'new' })
    const [item] = await answered(timeline, ([item]) => item?.post.labels?.length === 2)
    expect(valuesOf(item!.post.labels).sort()).toEqual(['ancient', 'new'])
  })
})

test('where a labeler no longer has what came after our cursor, shown subjects are asked about', async () => {
  world.follow(did(ALICE), did('bob'))
  const { uri } = world.post(did('bob'), 'hello')
  const made = openSpace()
  const requested = (times: number) =>
    until(() => {
      made.requested([labeler.did], [uri])
      return labeler.queried.length >= times
    })
  await connected(labeler)
  await requested(1)
  await labeler.say({ uri, val: 'missed' }, { unheard: true })
  labeler.send(frame({ op: 1, t: '#info' }, { name: 'OutdatedCursor' }))
  await requested(2)
  await answered(timeline, ([item]) => item?.post.labels?.length === 1)
})

describe('queried labels', () => {
  test('are fetched for shown subjects, from labelers that a member names', async () => {
    openSpace({ maxFollowed: 0 })
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    await other.say({ uri: post.uri, val: 'cheerful' }, { unheard: true })
    const [item] = await answered(
      () => timeline(accept(other.did)),
      ([item]) => item?.post.labels?.length === 1,
    )
    expect(item!.post.labels![0]!.src).toBe(other.did)
    expect(other.connections).toEqual([])
    // A request that does not name the labeler does not get its labels.
    expect((await timeline())[0]!.post.labels).toEqual([])
  })

  test('are dropped when the labeler no longer returns them', async () => {
    openSpace({ maxFollowed: 0, askOthersAfterMs: 0 })
    world.follow(did(ALICE), did('bob'))
    const post = world.post(did('bob'), 'hello')
    const past = (ms: number) => new Date(Date.now() - ms).toISOString()
    await other.say({ uri: post.uri, val: 'cheerful', cts: past(9_000) })
    await answered(
      () => timeline(accept(other.did)),
      ([item]) => item?.post.labels?.length === 1,
    )
    await other.say({ uri: post.uri, val: 'cheerful', neg: true, cts: past(8_000) })
    diskSpace!.requested([other.did], [post.uri])
    await answered(
      () => timeline(accept(other.did)),
      ([item]) => item?.post.labels?.length === 0,
    )
  })

  test('cost one query for many subjects, and none for the same ones soon after', async () => {
    openSpace({ maxFollowed: 0 })
    world.follow(did(ALICE), did('bob'))
    for (let n = 0; n < 5; n++) world.post(did('bob'), `post ${n}`)
    await answered(
      () => timeline(accept(other.did)),
      () => other.queried.length > 0,
    )
    await timeline(accept(other.did))
    await sleep(50)
    expect(other.queried).toHaveLength(1)
    expect(new Set(other.queried[0]).size).toBe(other.queried[0]!.length)
  })

  test('cause no failure when the labeler is away or fails', async () => {
    openSpace()
    labeler.failWith(500)
    world.follow(did(ALICE), did('bob'))
    world.post(did('bob'), 'hello')
    const ghost = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
    expect(await timeline(accept(labeler.did, ghost))).toHaveLength(1)
    await sleep(30)
    expect(await timeline(accept(labeler.did, ghost))).toHaveLength(1)
  })
})

describe('the answer names the labelers that were applied', () => {
  const header = async (headers: Record<string, string>, viewer?: string) => {
    const { headers: reported } = await world.ask(
      'app.bsky.actor.getProfile',
      { actor: did(ALICE) },
      viewer,
      headers,
    )
    return reported.get('atproto-content-labelers')
  }

  test('the configured ones if none is named, or the header is unreadable', async () => {
    expect(await header({})).toBe(`${labeler.did};redact`)
    expect(await header(accept('rubbish'))).toBe(`${labeler.did};redact`)
  })

  test('the named ones, as far as they exist', async () => {
    world.follow(did(ALICE), did('a-labeler'))
    const [known, unknown] = [did('a-labeler'), did('never-seen')]
    expect(await header(accept(`${known};redact`, unknown, labeler.did))).toBe(
      `${known};redact,${labeler.did}`,
    )
    world.status(known, 'deactivated')
    expect(await header(accept(known, labeler.did))).toBe(labeler.did)
    expect(await header(accept(''))).toBe('')
  })

  test('one that a member names, once it was found', async () => {
    openSpace()
    await answered(
      () => header(accept(other.did), did(ALICE)),
      (reported) => reported === other.did,
    )
    await connected(other)
  })
})

describe('a takedown', () => {
  test('of a post hides it only if its labeler may redact', async () => {
    openSpace()
    world.follow(did(ALICE), did('bob'))
    const root = world.post(did('bob'), 'bad')
    const reply = world.post(did('bob'), { text: 'reply', reply: { parent: root } })
    await connected(labeler)
    await labeler.say({ uri: root.uri, val: '!takedown' })
    const items = await answered(timeline, ({ length }) => length === 1)
    expect(items[0]!.post.uri).toBe(reply.uri)
    expect(items[0]!.reply!.parent).toMatchObject({ $type: 'app.bsky.feed.defs#notFoundPost' })
    const visible = await timeline(accept(labeler.did))
    expect(visible).toHaveLength(2)
    expect(valuesOf(visible[1]!.post.labels)).toEqual(['!takedown'])
  })

  test.each(['!takedown', '!suspend'])('of an account (%s) removes all of it', async (val) => {
    openSpace()
    world.follow(did(ALICE), did('bob'))
    world.post(did('bob'), 'hello')
    await connected(labeler)
    await labeler.say({ uri: did('bob'), val })
    await answered(timeline, ({ length }) => length === 0)
    const actor = did('bob')
    const { status, body } = await world.ask('app.bsky.actor.getProfile', { actor }, did(ALICE))
    expect([status, body['error']]).toEqual([400, 'AccountTakedown'])
    const follows = await world.get<{ follows: Profile[] }>(
      'app.bsky.graph.getFollows',
      { actor: did(ALICE) },
      did(ALICE),
    )
    expect(follows.follows).toEqual([])
    await labeler.say({ uri: did('bob'), val, neg: true })
    await answered(timeline, ({ length }) => length === 1)
  })

  test('of a profile record, and !hide, are only shown as labels', async () => {
    openSpace()
    const bob = did('bob')
    world.follow(did(ALICE), bob)
    world.profile(bob)
    world.post(bob, 'hello')
    await connected(labeler)
    await labeler.say({ uri: `at://${bob}/app.bsky.actor.profile/self`, val: '!takedown' })
    await labeler.say({ uri: bob, val: '!hide' })
    const [item] = await answered(timeline, ([item]) => item?.post.author.labels?.length === 2)
    expect(valuesOf(item!.post.author.labels)).toEqual(['!hide', '!takedown'])
  })
})

test('com.atproto.label.queryLabels answers from stored labels', async () => {
  openSpace()
  const bob = did('bob')
  world.follow(did(ALICE), bob)
  const post = world.post(bob, 'hello')
  await connected(labeler)
  await labeler.say({ uri: post.uri, val: 'spoiler' })
  await labeler.say({ uri: bob, val: 'rude' })
  await answered(timeline, ([item]) => item?.post.author.labels?.length === 1)
  const ask = (query: Record<string, string | string[]>) =>
    world.ask<{ labels: Label[]; message?: string }>('com.atproto.label.queryLabels', query)
  const { body } = await ask({ uriPatterns: [bob, post.uri, 'at://x/y/z'], sources: [labeler.did] })
  expect(body.labels.map(({ uri, val }) => [uri, val])).toEqual([
    [bob, 'rude'],
    [post.uri, 'spoiler'],
  ])
  expect((await ask({ uriPatterns: [bob], sources: [other.did] })).body.labels).toEqual([])
  const refusals = await Promise.all([
    ask({ uriPatterns: [bob] }),
    ask({ uriPatterns: ['at://*'], sources: [labeler.did] }),
    ask({ uriPatterns: ['rubbish'], sources: [labeler.did] }),
  ])
  expect(refusals.map(({ status, body: { message } }) => [status, message])).toEqual([
    [400, 'source dids are required'],
    [400, 'wildcards not supported'],
    [400, 'invalid uri pattern'],
  ])
})
