// The timelines service of a running process, over real sockets: pages, streams read by a third-party client,
// concurrent posts, and kill -9 in between.

import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  cursorSchema,
  errorSchema,
  pageSchema,
  postedSchema,
} from '../../../../scripts/docs/openapi-document.ts'
import { signServiceJwt } from '../../../support/service-jwt.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../support/timelines-process.ts'
import { startPosting } from '../support/timelines-posting.ts'

const POST = 'app.bsky.feed.post'
const FOLLOW = 'app.bsky.graph.follow'
let world: TimelinesProcess
let token: string

beforeAll(async () => {
  world = await startTimelinesProcess(['alice', 'bob', 'carol'])
  await world.start()
  token = await world.token('everything', 'read:*', 'post:custom:*')
  world.emit('alice', FOLLOW, { subject: world.didOf('bob') })
}, 400_000)
afterAll(() => world.close())

const note = (entity_id: string, more: object = {}) => ({
  entity_id,
  entity_type: 'note',
  payload: { entity_id },
  producer_ts: new Date().toISOString(),
  ...more,
})

test('network posts reach pages and streams in one order, across a kill -9', async () => {
  const key = `following:${world.didOf('alice')}`
  world.emit('bob', POST, { text: 'one' })
  await becomes(
    () => world.page(key, 'direction=forward', token),
    ({ body }) => body.events.length === 1,
  )
  const stream = world.listen(key, token, '?since=0')
  await stream.until(() => stream.events.length === 1)
  world.emit('bob', POST, { text: 'two' })
  world.emit('carol', POST, { text: 'of somebody else' })
  const reply = {
    uri: `at://${world.didOf('bob')}/${POST}/3l2zpbbhuvk2h`,
    cid: 'bafyreihwdxnyvrfz5wdl3dlvlh7qk7xfo4vvzoc44igfgczqoqfxnmapeu',
  }
  world.emit('alice', POST, { text: 'own', reply: { root: reply, parent: reply } })
  await stream.until(() => stream.events.length === 3)
  await world.kill()
  // Emitted while the process is away; it catches up after the restart.
  world.emit('bob', POST, { text: 'three' })
  await world.start()
  await stream.until(() => stream.events.length === 4)
  world.emit('bob', POST, { text: 'four' })
  await stream.until(() => stream.events.length === 5)
  stream.close()
  const { body } = await world.page(key, 'direction=forward', token)
  pageSchema.parse(body)
  expect(stream.events).toEqual(body.events)
  expect(body.events.map(({ entity_type }) => entity_type)).toEqual([
    'post',
    'post',
    'reply',
    'post',
    'post',
  ])
  const numbers = body.events.map(({ sequence_id }) => Number(sequence_id))
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  expect(body.events.map(({ prev_sequence_id }) => prev_sequence_id)).toEqual([
    null,
    ...body.events.slice(0, -1).map(({ sequence_id }) => sequence_id),
  ])
  expect(body.has_gap).toBe(false)
}, 400_000)

test('a kill -9 neither loses, doubles nor renumbers an acknowledged post', async () => {
  // A producer that gets no answer retries with the same key.
  const posting = startPosting((id) => {
    const body = note(id, { idempotency_key: id })
    return () => world.post('busy', body, token)
  })
  for (let kill = 0; kill < 2; kill++) {
    await posting.until(posting.acknowledged.size + 200)
    await world.kill()
    await world.start()
  }
  await posting.end()
  const { acknowledged } = posting
  const found = new Map<string, string>()
  let query = 'direction=forward&limit=100'
  for (let isEnd = false; !isEnd; ) {
    const { body } = await world.page('custom:busy', query, token)
    for (const { entity_id, sequence_id } of body.events) {
      expect(found.has(entity_id)).toBe(false)
      found.set(entity_id, sequence_id)
    }
    isEnd = body.events.length === 0
    query = `limit=100&cursor=${body.next_cursor}`
  }
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(acknowledged))
  expect([...found.values()]).toEqual(Array.from({ length: found.size }, (_, i) => String(i + 1)))
}, 400_000)

test('a missing number holds readers back until it is skipped, also across a kill -9', async () => {
  const stream = world.listen('custom:busy', token)
  await stream.until(() => stream.opened() === 1)
  const numbered = (n: number) => note(`n${n}`, { producer_id: 'p', producer_seq: n })
  for (const n of [1, 2, 4]) expect((await world.post('busy', numbered(n), token)).status).toBe(200)
  await stream.until(() => stream.events.length === 2)
  const open = await world.page('custom:busy', '', token)
  expect(open.body).toMatchObject({ has_gap: true, gaps: [{ kind: 'awaited' }] })
  await world.kill()
  await world.start()
  await stream.until(() => stream.events.length === 3 && stream.gaps.length > 0)
  stream.close()
  expect(stream.events.map(({ entity_id }) => entity_id)).toEqual(['n1', 'n2', 'n4'])
  const skipped = await world.page('custom:busy', '', token)
  pageSchema.parse(skipped.body)
  expect(skipped.body.gaps).toEqual([expect.objectContaining({ kind: 'skipped' })])
  expect(stream.gaps[0]).toEqual(skipped.body.gaps[0])
  expect((await world.post('busy', numbered(3), token)).status).toBe(200)
  expect((await world.page('custom:busy', '', token)).body.has_gap).toBe(false)
}, 400_000)

test('gaps of more than a thousand skipped numbers are told whole', async () => {
  for (const n of [1, 1_002]) {
    const { status } = await world.post('skipping', note(`n${n}`, { producer_seq: n }), token)
    expect(status).toBe(200)
  }
  const isSkipped = ({ body }: Awaited<ReturnType<typeof world.page>>) =>
    body.events.length === 2 && body.gaps.length > 0
  await becomes(() => world.page('custom:skipping', '', token), isSkipped)
  expect((await world.post('skipping', note('n', { producer_seq: 2_003 }), token)).status).toBe(200)
  const { body } = await becomes(
    () => world.page('custom:skipping', 'direction=forward', token),
    (page) => page.body.events.length === 3,
  )
  expect(body.gaps).toEqual([
    expect.objectContaining({ from_sequence_id: '2', to_sequence_id: '1001' }),
    expect.objectContaining({ from_sequence_id: '1003', to_sequence_id: '2002' }),
  ])
}, 400_000)

test('a merge streams all of its timelines, and resumes by its cursor', async () => {
  const key = `author:${world.didOf('bob')}+custom:merged`
  await world.post('merged', note('first'), token)
  const stream = world.listen(key, token)
  await stream.until(() => stream.opened() === 1)
  await world.post('merged', note('second'), token)
  await stream.until(() => stream.events.length === 1)
  await world.kill()
  await world.start()
  await stream.until(() => stream.opened() === 2)
  world.emit('bob', POST, { text: 'five' })
  await stream.until(() => stream.events.length === 2)
  await world.post('merged', note('third'), token)
  await stream.until(() => stream.events.length === 3)
  stream.close()
  expect(stream.events.map(({ timeline_key }) => timeline_key)).toEqual([
    'custom:merged',
    `author:${world.didOf('bob')}`,
    'custom:merged',
  ])
}, 400_000)

test('a client disconnected before its first event misses nothing', async () => {
  const alone = 'custom:before'
  const merge = `author:${world.didOf('bob')}+${alone}`
  await world.post('before', note('known'), token)
  const ids = await Promise.all([alone, merge].map(beginningOf))
  await world.post('before', note('missed'), token)
  for (const [i, key] of [alone, merge].entries()) {
    const stream = world.listen(key, token, `?cursor=${ids[i]}`)
    await stream.until(() => stream.events.length === 1)
    stream.close()
    expect(stream.events[0]!.entity_id).toBe('missed')
  }
}, 400_000)

/** Returns a client's last event id before any event has arrived. */
async function beginningOf(key: string): Promise<string> {
  const url = `${world.origin()}/v1/timelines/${encodeURIComponent(key)}/stream`
  const { body } = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const reader = body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return /^id: (.+)$/m.exec(Buffer.from(value!).toString())![1]!
}

test('a PDS token lets a member read their own timelines only', async () => {
  const { keypair, did } = world.accountOf('alice')
  const jwt = (lxm: string) => signServiceJwt(keypair, { iss: did, aud: 'did:web:localhost', lxm })
  const mine = await jwt('io.slipstream.timelines.read')
  world.emit('bob', FOLLOW, { subject: did })
  const notified = await becomes(
    () => world.page(`notifications:${did}`, '', mine),
    ({ body }) => body.events.length > 0,
  )
  pageSchema.parse(notified.body)
  expect(notified.body.events[0]).toMatchObject({
    entity_type: 'follow',
    payload: { actor: world.didOf('bob') },
  })
  expect((await world.page(`following:${did}`, '', mine)).status).toBe(200)
  for (const key of [`following:${world.didOf('bob')}`, 'custom:busy']) {
    expect((await world.page(key, '', mine)).body).toMatchObject({ error: 'OutOfScope' })
  }
  expect((await world.post('busy', note('x'), mine)).status).toBe(403)
  const other = await world.page(`following:${did}`, '', await jwt('app.bsky.feed.getTimeline'))
  expect([other.status, other.body]).toEqual([
    401,
    expect.objectContaining({ error: 'BadJwtLexiconMethod' }),
  ])
})

test('a member’s stream ends when the network announces another identity', async () => {
  const { keypair, did } = world.accountOf('carol')
  const claims = { iss: did, aud: 'did:web:localhost', lxm: 'io.slipstream.timelines.read' }
  const old = await signServiceJwt(keypair, claims)
  await becomes(
    () => world.page(`author:${did}`, '', old),
    ({ status }) => status === 200,
  )
  const url = `${world.origin()}/v1/timelines/author:${did}/stream`
  const stream = await fetch(url, { headers: { authorization: `Bearer ${old}` } })
  expect(stream.status).toBe(200)
  const over = stream.text()
  await world.plc.rotate(did)
  world.double.emit({ kind: 'identity', did, handle: 'carol.test' })
  // Until then, only events and signs of life arrive.
  expect(await over).toContain('id: ')
  const again = await fetch(url, { headers: { authorization: `Bearer ${old}` } })
  expect(again.status).toBe(401)
}, 400_000)

test('keeps each reader’s position across restarts', async () => {
  const path = '/v1/timelines/custom:busy/cursor'
  expect((await world.ask('GET', path, { token })).status).toBe(404)
  const { body } = await world.page('custom:busy', 'limit=1', token)
  const cursor = body.next_cursor!
  const put = await world.ask('PUT', path, { token, body: { cursor } })
  cursorSchema.parse(put.body)
  await world.kill()
  await world.start()
  expect((await world.ask('GET', path, { token })).body).toEqual(put.body)
  const next = await world.page('custom:busy', `limit=1&cursor=${cursor}`, token)
  expect(next.body.events[0]!.sequence_id).toBe(body.events[0]!.prev_sequence_id)
}, 400_000)

test('a post sent twice is one event, and both answers match the document', async () => {
  const body = note('once', { idempotency_key: 'k' })
  const first = await world.post('idempotent', body, token)
  postedSchema.parse(first.body)
  expect((await world.post('idempotent', body, token)).body).toEqual(first.body)
  // As of a producer that takes the time anew for each attempt, here in milliseconds.
  const later = { ...body, producer_ts: Date.parse(body.producer_ts) + 1_000 }
  expect((await world.post('idempotent', later, token)).body).toEqual(first.body)
  const other = await world.post('idempotent', note('other', { idempotency_key: 'k' }), token)
  expect(other.status).toBe(409)
  expect(other.body).toEqual({
    ...first.body,
    error: 'IdempotencyConflict',
    message: expect.any(String),
  })
  errorSchema.parse(other.body)
  const page = await world.page('custom:idempotent', '', token)
  expect(page.body.events.map(({ producer_ts }) => producer_ts)).toEqual([body.producer_ts])
})

test('times in milliseconds are answered as text, and a merge reads what was posted to one of its timelines', async () => {
  const merge = 'custom:silent+custom:milliseconds'
  const stream = world.listen(merge, token)
  await stream.until(() => stream.opened() === 1)
  expect((await world.page(merge, '', token)).body.events).toEqual([])
  for (const time of [0, -1, 1_795_862_000_123, 253_402_300_799_999]) {
    const posted = await world.post('milliseconds', note('m', { producer_ts: time }), token)
    expect(posted.status).toBe(200)
  }
  await stream.until(() => stream.events.length === 4)
  stream.close()
  expect(stream.events.map(({ producer_ts }) => producer_ts)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2026-11-28T10:33:20.123Z',
    '9999-12-31T23:59:59.999Z',
  ])
  const { body } = await world.page(merge, 'direction=forward', token)
  pageSchema.parse(body)
  expect(body.events).toEqual(stream.events)
  for (const wrong of [1.5, 253_402_300_800_000, -62_135_596_800_001, '1795862000123', null]) {
    const refused = await world.post('milliseconds', note('m', { producer_ts: wrong }), token)
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringMatching(/^producer_ts: .*milliseconds/),
    ])
  }
  expect((await world.page('custom:silent', '', token)).status).toBe(404)
})

test('a time in another unit, and none, are refused for what they are', async () => {
  const ms = Date.parse('2026-11-28T10:33:20.000Z')
  const wanted = 'Expected ISO 8601 with an offset, or whole milliseconds since 1970'
  for (const [time, words] of [
    [ms / 1_000, 'This looks like seconds. '],
    [ms * 1_000, 'This looks like microseconds. '],
    [ms * 1e6, 'This looks like nanoseconds. '],
    [undefined, 'Required. '],
  ]) {
    const { status, body } = await world.post('units', note('u', { producer_ts: time }), token)
    expect([status, body.message]).toEqual([400, `producer_ts: ${words}${wanted}`])
  }
  // Weeks of 1970 can be said as text.
  const old = note('u', { producer_ts: '1970-01-21T10:51:02.000Z' })
  expect((await world.post('units', old, token)).status).toBe(200)
})

test('a list leaves out accounts that block its owner if the owner reads it, and not for programs', async () => {
  const { keypair, did } = world.accountOf('alice')
  const claims = { iss: did, aud: 'did:web:localhost', lxm: 'io.slipstream.timelines.read' }
  const mine = await signServiceJwt(keypair, claims)
  const LIST = 'app.bsky.graph.list'
  const purpose = 'app.bsky.graph.defs#curatelist'
  const list = `at://${did}/${LIST}/${world.emit('alice', LIST, { name: 'friends', purpose })}`
  const bob = world.didOf('bob')
  world.emit('alice', 'app.bsky.graph.listitem', { list, subject: bob })
  world.emit('bob', POST, { text: 'on the list' })
  const count = async (key: string, bearer: string) =>
    (await world.page(key, '', bearer)).body.events?.length
  await becomes(
    () => count(`list:${list}`, mine),
    (events) => events !== undefined && events > 0,
  )
  const all = await count(`list:${list}`, token)
  expect(await count(`list:${list}`, mine)).toBe(all)
  expect(await count(`notifications:${did}`, mine)).toBeGreaterThan(0)
  world.emit('bob', 'app.bsky.graph.block', { subject: did })
  await becomes(
    () => count(`list:${list}`, mine),
    (events) => events === 0,
  )
  expect(await count(`list:${list}`, token)).toBe(all)
  for (const bearer of [mine, token]) expect(await count(`notifications:${did}`, bearer)).toBe(0)
}, 400_000)
