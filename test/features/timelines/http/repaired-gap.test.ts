// Events missed while the process was away, with one host no longer holding them: a resumed stream receives
// the new events and the repaired ones without asking again. Also the number of streams a member may open.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../support/eventually.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../../support/jetstream-double/double.ts'
import { cidOf, tidAt } from '../../../support/records.ts'
import { signServiceJwt } from '../../../support/service-jwt.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../support/timelines-process.ts'

const MEMBER_STREAMS = 8
let world: TimelinesProcess
let other: JetstreamDouble
let token: string
// In the past: a repair whose end is ahead of the clock waits for a later event, and none follows
// here.
let clock = (Date.now() - 30_000) * 1000

beforeAll(async () => {
  world = await startTimelinesProcess(['alice', 'bob'])
  other = await createJetstreamDouble()
  world.settings.JETSTREAM_HOSTS = `${world.double.url},${other.url}`
  await world.start()
  // A first connection starts at the current time, by the clock.
  await until(() => world.double.openConnections() === 1)
  token = await world.token('everything', 'read:*')
}, 400_000)
afterAll(async () => {
  await world.close()
  await other.close()
})

/** Emits an event on both hosts. */
function emit(name: string, collection: string, fields: object): void {
  clock += 1_000_000
  const record = { $type: collection, createdAt: new Date().toISOString(), ...fields }
  const commit = { did: world.didOf(name), collection, rkey: tidAt(clock), cid: cidOf(record) }
  for (const host of [world.double, other]) {
    host.emit({ ...commit, operation: 'create', record, timeUs: clock })
  }
}

const post = (text: string) => emit('bob', 'app.bsky.feed.post', { text })

test('a resumed stream receives the events of a gap’s repair, numbered in order', async () => {
  const key = `following:${world.didOf('alice')}`
  emit('alice', 'app.bsky.graph.follow', { subject: world.didOf('bob') })
  post('one')
  const page = () => world.page(key, 'direction=forward', token)
  await becomes(page, ({ body }) => body.events.length === 1)
  const stream = world.listen(key, token, '?since=0')
  await stream.until(() => stream.events.length === 1)
  await world.kill()
  post('missed')
  world.double.raiseFloor(world.double.nextSeq())
  post('after')
  await world.start()
  await stream.until(() => stream.events.length === 3)
  stream.close()
  const texts = stream.events.map(({ payload }) => (payload['record'] as { text: string }).text)
  expect(texts[0]).toBe('one')
  expect(texts.sort()).toEqual(['after', 'missed', 'one'])
  const numbers = stream.events.map(({ sequence_id }) => Number(sequence_id))
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  const { body } = await becomes(page, (answer) => !answer.body.has_gap)
  expect(body.events).toEqual(stream.events)
}, 400_000)

test('limits a member’s open streams, and allows another once one has ended', async () => {
  const { keypair, did } = world.accountOf('alice')
  const lxm = 'io.slipstream.timelines.read'
  const path = `/v1/timelines/${encodeURIComponent(`following:${did}`)}/stream`
  const open = async () => {
    const jwt = await signServiceJwt(keypair, { iss: did, aud: 'did:web:localhost', lxm })
    const controller = new AbortController()
    const response = await fetch(world.origin() + path, {
      headers: { authorization: `Bearer ${jwt}` },
      signal: controller.signal,
    })
    return { response, status: response.status, end: () => controller.abort() }
  }
  const streams = await Promise.all(Array.from({ length: MEMBER_STREAMS }, open))
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
  const refused = await open()
  expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect([refused.status, await refused.response.json()]).toEqual([
    429,
    { error: 'TooManyStreams', message: `At most ${MEMBER_STREAMS} streams are open at once` },
  ])
  streams.pop()!.end()
  const again = await becomes(open, ({ status }) => status === 200)
  for (const { end } of [...streams, again]) end()
}, 400_000)
