// Pushes from a like to a device: registered by XRPC, decided from rows as notifications are listed,
// encrypted, signed, and received by a local push service that decrypts them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createNotifications } from '../../../src/answers/skeleton/notifications.ts'
import { createPushes } from '../../../src/features/push/pushes.ts'
import { pushRegistrationsOf } from '../../../src/features/push/store/registrations.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { runCli } from '../../support/cli.ts'
import { eventually } from '../../support/eventually.ts'
import { type PushReceiver, startPushReceiver } from '../../support/push-receiver.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
const SERVICE = 'did:web:slipstream.test'
const NOTIFICATION = 'app.bsky.notification'

let w: ServingWorld
let receiver: PushReceiver
let pushes: ReturnType<typeof createPushes>
let post: RecordId

beforeEach(async () => {
  receiver = await startPushReceiver()
  const env = {
    SLIPSTREAM_PUSH_SERVICES: `${receiver.host},*.allowed.test`,
    SLIPSTREAM_SERVICE_DID: SERVICE,
    SLIPSTREAM_ALLOW_PRIVATE_HOSTS: 'on',
  }
  w = createServingWorld({ scope: 'network', members: ['alice'], env })
  for (const did of [alice, bob, carol]) w.profile(did, { displayName: did.slice(-5) })
  post = w.post(alice)
  pushes = startPushes()
  await pushes.look()
})
afterEach(async () => {
  pushes.close()
  w.dispose()
  await receiver.close()
})

function startPushes(
  more: {
    withText?: boolean
    allowPrivateHosts?: boolean
    members?: Parameters<typeof createPushes>[0]['members']
  } = {},
) {
  const { withText = false, allowPrivateHosts = true, members } = more
  return createPushes({
    db: w.reader,
    actors: w.memory.actors,
    hydrator: w.hydrator,
    writer: w.requests,
    serviceDid: SERVICE,
    subject: 'https://slipstream.test',
    withText,
    now: w.now,
    notifications: createNotifications({ db: w.reader, graph: w.memory.graph }),
    fetch: createGuardedFetch({ allowPrivateHosts }),
    rules: { services: [receiver.host], allowsHttp: true },
    log: { error: (...line: unknown[]) => console.error(...line), debug: () => undefined },
    members,
    everyMs: 0,
    retryMs: [1, 1],
  })
}

function requested(token: string, more: object = {}) {
  return { serviceDid: SERVICE, token, platform: 'web', appId: 'test', ...more }
}

async function register(token = receiver.subscribe(), more: object = {}, by = alice) {
  return w.tell(`${NOTIFICATION}.registerPush`, requested(token, more), by)
}

/** Waits until all due pushes are delivered or given up. */
async function sendAll(from = pushes): Promise<void> {
  await from.look()
  await eventually(() => expect(from.pending()).toBe(0))
}

const reasons = () => receiver.received.map(({ message }) => message['reason'])

describe('a device', () => {
  test('receives only the kind of event and its record, signed with a known key', async () => {
    expect((await register()).status).toBe(200)
    const { publicKey } = await w.get<{ publicKey: string }>(
      'io.slipstream.notification.getPushKey',
    )
    const like = w.like(bob, post)
    await sendAll()
    const [push, ...others] = receiver.received
    expect(others).toEqual([])
    expect(push!.message).toEqual({
      recipientDid: alice,
      reason: 'like',
      uri: like.uri,
      subject: post.uri,
      indexedAt: expect.any(String),
    })
    expect(push).toMatchObject({
      path: '/push/device',
      key: publicKey,
      headers: { 'content-encoding': 'aes128gcm', ttl: '86400' },
      claims: { aud: receiver.origin, sub: 'https://slipstream.test' },
    })
  })

  test('receives names and texts only if the operator allows it', async () => {
    await register()
    const open = startPushes({ withText: true })
    w.post(bob, { text: 'a word to you', reply: { parent: post } })
    await sendAll(open)
    expect(receiver.received[0]!.message).toMatchObject({
      reason: 'reply',
      text: 'a word to you',
      author: { did: bob },
    })
    open.close()
  })

  test('receives no earlier events, none twice, and none again after a restart', async () => {
    w.like(bob, post)
    await pushes.look()
    await register()
    await sendAll()
    expect(reasons()).toEqual([])
    w.repost(bob, post)
    await sendAll()
    await sendAll()
    const restarted = startPushes()
    await sendAll(restarted)
    expect(reasons()).toEqual(['repost'])
    w.like(carol, post)
    await sendAll(restarted)
    expect(reasons()).toEqual(['repost', 'like'])
    restarted.close()
  })

  test('follows its owner’s preferences, without accounts they mute or block', async () => {
    await register()
    const put = (patch: object) => w.tell(`${NOTIFICATION}.putPreferencesV2`, patch, alice)
    await put({ like: { include: 'all', list: true, push: false } })
    await put({ repost: { include: 'follows', list: false, push: true } })
    w.follow(alice, carol)
    w.like(bob, post)
    w.repost(bob, post)
    w.repost(carol, post)
    await sendAll()
    expect(receiver.received.map(({ message }) => message['reason'])).toEqual(['repost'])
    await w.tell('app.bsky.graph.muteActor', { actor: carol }, alice)
    w.block(alice, bob)
    w.follow(carol, alice)
    w.follow(bob, alice)
    await sendAll()
    expect(reasons()).toEqual(['repost'])
  })

  test('that is unregistered, or whose owner leaves, receives no more', async () => {
    await register()
    await register(receiver.subscribe('second'))
    await w.tell(`${NOTIFICATION}.unregisterPush`, requested(receiver.subscribe()), alice)
    w.like(bob, post)
    await sendAll()
    expect(receiver.received.map(({ path }) => path)).toEqual(['/push/second'])
  })

  test('is one of at most ten: the oldest is dropped', async () => {
    for (let i = 0; i < 12; i++) await register(receiver.subscribe(`d${i}`))
    const devices = pushRegistrationsOf(w.reader, w.memory.actors.uidOf(alice))
    const names = devices.map(({ endpoint }) => endpoint.split('/').at(-1))
    expect(names).toHaveLength(10)
    expect(names).toContain('d11')
  })
})

describe('a group', () => {
  const seen = () =>
    w.tell(`${NOTIFICATION}.updateSeen`, { seenAt: new Date(w.now()).toISOString() }, alice)

  test('is one push, which says how many there are', async () => {
    await register()
    w.like(bob, post)
    w.like(carol, post)
    w.follow(bob, alice)
    await sendAll()
    const reported = receiver.received.map(({ message }) => [message['reason'], message['count']])
    expect(reported.toSorted()).toEqual([
      ['follow', undefined],
      ['like', 2],
    ])
    const [first, other] = receiver.received.map(({ headers }) => headers['topic'])
    expect(first).toMatch(/^[\w-]{32}$/)
    expect(other).not.toBe(first)
  })

  test('has no follow back in it: each of those is pushed', async () => {
    await register()
    w.follow(alice, bob)
    w.follow(didOf('dave'), alice)
    w.follow(didOf('erin'), alice)
    w.follow(bob, alice)
    await sendAll()
    expect(receiver.received.map(({ message }) => message['count'])).toHaveLength(2)
    expect(new Set(receiver.received.map(({ message }) => message['count']))).toEqual(
      new Set([2, undefined]),
    )
  })

  test('is not pushed again until its owner has looked; another post and a reply are', async () => {
    await register()
    w.like(bob, post)
    await sendAll()
    w.like(carol, post)
    await sendAll()
    expect(reasons()).toEqual(['like'])
    w.like(carol, w.post(alice))
    w.post(bob, { text: 'one', reply: { parent: post } })
    w.post(bob, { text: 'two', reply: { parent: post } })
    await sendAll()
    expect(reasons().toSorted()).toEqual(['like', 'like', 'reply', 'reply'])
    await seen()
    w.like(didOf('dave'), post)
    await sendAll()
    expect(reasons()).toHaveLength(5)
  })
})

describe('many at once', () => {
  const reply = (text: string) => w.post(bob, { text, reply: { parent: post } })

  test('are five pushes in a minute; then one says how many more there were', async () => {
    await register()
    for (let i = 0; i < 9; i++) reply(`number ${i}`)
    await sendAll()
    w.tick(30_000)
    reply('half a minute later')
    w.like(carol, post)
    await sendAll()
    expect(reasons()).toEqual(Array(5).fill('reply'))
    w.tick(30_001)
    await sendAll()
    const message = { recipientDid: alice, reason: 'more', count: 6 }
    expect(receiver.received.slice(5).map(({ message }) => message)).toEqual([message])
    reply('in another minute')
    await sendAll()
    expect(reasons().slice(6)).toEqual(['reply'])
  })

  test('say no more to a member who has looked', async () => {
    await register()
    for (let i = 0; i < 9; i++) reply(`number ${i}`)
    await sendAll()
    await w.tell(`${NOTIFICATION}.updateSeen`, { seenAt: new Date(w.now()).toISOString() }, alice)
    w.tick(60_001)
    await sendAll()
    expect(reasons()).toHaveLength(5)
  })

  test('are the same five for each of a member’s devices, and another member has five of their own', async () => {
    await register()
    await register(receiver.subscribe('second'))
    w.member(carol)
    const other = w.post(carol)
    await register(receiver.subscribe('carol'), {}, carol)
    for (let i = 0; i < 9; i++) {
      reply(`number ${i}`)
      w.post(bob, { text: 'to carol', reply: { parent: other } })
    }
    await sendAll()
    const byDevice = Map.groupBy(receiver.received, ({ path }) => path)
    expect([...byDevice.values()].map((all) => all.length)).toEqual([5, 5, 5])
  })
})

describe('quiet hours', () => {
  const QUIET = `io.slipstream.notification`
  const put = (hours: object) => w.tell(`${QUIET}.putQuietHours`, hours, alice)
  const hourAt = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  const HOUR_MS = 3_600_000
  /** From a minute ago or so until two hours later. */
  const now = () => ({
    from: hourAt(w.now() - HOUR_MS),
    until: hourAt(w.now() + 2 * HOUR_MS),
    timeZone: 'UTC',
  })

  test('hold pushes back; once they end, one says how many there were', async () => {
    await register()
    await put(now())
    w.like(bob, post)
    w.repost(carol, post)
    await sendAll()
    expect(reasons()).toEqual([])
    await put({})
    await sendAll()
    const message = { recipientDid: alice, reason: 'after-quiet-hours', count: 2 }
    expect(receiver.received.map(({ message }) => message)).toEqual([message])
    await sendAll()
    expect(reasons()).toHaveLength(1)
    w.follow(bob, alice)
    await sendAll()
    expect(reasons()).toHaveLength(2)
  })

  test('hold for the whole cluster: they are taken in before a member’s device is told', async () => {
    await register()
    const requested: string[] = []
    const shared = startPushes({
      members: {
        async upToDate(did) {
          if (requested.push(did) === 1) await put(now())
          else await put({})
        },
      },
    })
    await shared.look()
    w.like(bob, post)
    await sendAll(shared)
    expect(reasons()).toEqual([])
    w.repost(bob, post)
    await sendAll(shared)
    expect(reasons()).toEqual(['after-quiet-hours', 'repost'])
    expect(requested).toEqual([alice, alice])
    shared.close()
  })

  test('say nothing afterwards to a member who has looked', async () => {
    await register()
    await put(now())
    w.like(bob, post)
    await sendAll()
    await w.tell(`${NOTIFICATION}.updateSeen`, { seenAt: new Date(w.now()).toISOString() }, alice)
    await put({})
    await sendAll()
    expect(reasons()).toEqual([])
  })

  test('move with their member’s document, and a bad part of it is refused', async () => {
    const hours = { from: '22:30', until: '07:00', timeZone: 'Europe/Berlin' }
    await put(hours)
    const exported = await runCli({ DATA_DIR: w.dataDir }, ['member', 'export', alice])
    const document = JSON.parse(exported.stdout) as object
    expect(document).toMatchObject({ features: { push: { quietHours: hours } } })
    const folder = mkdtempSync(join(tmpdir(), 'slipstream-quiet-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const there = (args: string[], input?: string) => runCli({ DATA_DIR: folder }, args, input)
    for (const push of [null, {}, { quietHours: { ...hours, until: '25:00' } }]) {
      const bad = JSON.stringify({ ...document, features: { push } })
      expect(await there(['member', 'import'], bad)).toMatchObject({
        code: expect.toSatisfy((code: number) => code > 0),
        stderr: expect.stringContaining('bad features'),
      })
    }
    const other = { ...document, features: { push: { quietHours: hours }, unknown: 1 } }
    expect((await there(['member', 'import'], JSON.stringify(other))).code).toBe(0)
    expect((await there(['member', 'export', alice])).stdout).toBe(exported.stdout)
  })

  test('are their member’s alone, and gone when they leave', async () => {
    const hours = { from: '22:30', until: '07:00', timeZone: 'Europe/Berlin' }
    expect(await put(hours)).toMatchObject({ status: 200, body: hours })
    expect(await w.get(`${QUIET}.getQuietHours`, {}, alice)).toEqual(hours)
    expect(await w.get(`${QUIET}.getQuietHours`, {}, bob)).toEqual({})
    expect(await put({})).toMatchObject({ status: 200, body: {} })
    expect(await w.get(`${QUIET}.getQuietHours`, {}, alice)).toEqual({})
  })

  test.each([
    { from: '22:30' },
    { from: '24:00', until: '07:00', timeZone: 'UTC' },
    { from: '7:00', until: '08:00', timeZone: 'UTC' },
    { from: '07:00', until: '07:00', timeZone: 'UTC' },
    { from: '07:00', until: '08:00' },
    { from: '07:00', until: '08:00', timeZone: 'Mars/Olympus' },
  ])('are refused as %o', async (hours) => {
    expect((await put(hours)).status).toBe(400)
  })
})

describe('a push service', () => {
  test('that says gone is not asked again', async () => {
    await register()
    receiver.answerWith(410)
    w.like(bob, post)
    await sendAll()
    expect(pushRegistrationsOf(w.reader, w.memory.actors.uidOf(alice))).toEqual([])
    w.like(carol, post)
    await sendAll()
    expect([receiver.requested(), pushes.counts().gone]).toEqual([1, 1])
  })

  test('that is unreachable is asked again, but not forever', async () => {
    await register()
    receiver.answerWith(503, 429)
    w.like(bob, post)
    await sendAll()
    expect([receiver.requested(), reasons()]).toEqual([3, ['like']])
    receiver.answerWith(500, 500, 500, 500, 500)
    w.repost(carol, post)
    await sendAll()
    expect([receiver.requested(), pushes.counts().failed]).toEqual([6, 1])
  })

  test('that refuses is not asked again', async () => {
    await register()
    receiver.answerWith(403)
    w.like(bob, post)
    await sendAll()
    expect([receiver.requested(), pushes.counts().refused]).toEqual([1, 1])
  })

  test('on a private address is never contacted, unless the operator allows it', async () => {
    await register()
    const guarded = startPushes({ allowPrivateHosts: false })
    w.like(bob, post)
    await sendAll(guarded)
    expect([receiver.requested(), guarded.counts()]).toMatchObject([0, { sent: 0, failed: 1 }])
    guarded.close()
  })
})

describe('a registration is refused', () => {
  const keys = (change: object) => {
    const subscription = JSON.parse(receiver.subscribe()) as { keys: object }
    return JSON.stringify({ ...subscription, keys: { ...subscription.keys, ...change } })
  }
  const at = (endpoint: string) => JSON.stringify({ ...JSON.parse(receiver.subscribe()), endpoint })

  test.each<[string, () => string]>([
    ['that is not a subscription', () => 'abc'],
    ['that is null', () => 'null'],
    ['at a service that the operator does not allow', () => at('https://push.test/x')],
    ['at a name that only ends like an allowed one', () => at('https://notallowed.test/x')],
    ['at another port', () => at('http://127.0.0.1:1/x')],
    ['by another protocol', () => at('ftp://a.allowed.test/x')],
    ['with credentials', () => at('https://a:b@a.allowed.test/x')],
    ['whose address is too long', () => at(`https://a.allowed.test/${'x'.repeat(3000)}`)],
    ['whose key is too short', () => keys({ p256dh: 'AAAA' })],
    [
      'whose key is not a point on the curve',
      () => keys({ p256dh: Buffer.alloc(65).toString('base64url') }),
    ],
    ['without a secret', () => keys({ auth: undefined })],
  ])('%s', async (_, token) => {
    const { status, body } = await register(token())
    expect([status, (body as { error: string }).error]).toEqual([400, 'InvalidRequest'])
  })

  test('by an app that names another server', async () => {
    const { status } = await register(undefined, { serviceDid: 'did:web:api.bsky.app' })
    expect(status).toBe(501)
    expect((await register(at('https://a.allowed.test/x'))).status).toBe(200)
  })
})
