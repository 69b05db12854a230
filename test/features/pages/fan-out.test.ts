// Writes by fan-out and writes saved by the limit on huge timelines, as reported by /metrics and the
// operator's view of running processes: the same posts go to a server with a limit and to one without.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { signServiceJwt } from '../../support/service-jwt.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../support/timelines-process.ts'

const OPERATOR_TOKEN = 'the-operators-own-token'
const POSTS = 30
const FOLLOWS = [
  ...['bob', 'carol', 'dave'].map((subject) => ['alice', subject] as const),
  ['zoe', 'bob'] as const,
]
let limited: TimelinesProcess
let unlimited: TimelinesProcess

beforeAll(async () => {
  const members = ['alice', 'bob', 'carol', 'dave', 'zoe']
  limited = await startTimelinesProcess(members, { REASONABLE_LIMIT: '1', OPERATOR_TOKEN })
  const beside = { network: limited.network }
  unlimited = await startTimelinesProcess(
    members,
    { REASONABLE_LIMIT: '0', OPERATOR_TOKEN },
    beside,
  )
  await Promise.all([limited.start(), unlimited.start()])
  for (const [name, subject] of FOLLOWS) {
    limited.emit(name, 'app.bsky.graph.follow', { subject: limited.didOf(subject) })
  }
  for (const name of ['alice', 'zoe']) {
    await Promise.all([limited, unlimited].map((world) => openTimeline(world, name)))
  }
  for (let i = 0; i < POSTS; i++) limited.emit('bob', 'app.bsky.feed.post', { text: `post ${i}` })
}, 400_000)
afterAll(async () => {
  await unlimited?.close()
  await limited?.close()
})

/** Requests the timeline once, after which it is written to. */
async function openTimeline(world: TimelinesProcess, name: string): Promise<void> {
  const path = '/xrpc/app.bsky.feed.getTimeline'
  const { did, keypair } = world.accountOf(name)
  const claims = { iss: did, aud: 'did:web:localhost', lxm: 'app.bsky.feed.getTimeline' }
  const token = await signServiceJwt(keypair, claims)
  const { status } = await world.ask('GET', path, { token })
  expect(status).toBe(200)
}

async function metricsOf(world: TimelinesProcess): Promise<Map<string, number>> {
  const text = await (await fetch(`${world.origin()}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.replace(/ [^ ]+$/, ''), Number(line.split(' ').at(-1))]))
}

/** Once every post is fanned out. */
const complete = (world: TimelinesProcess) =>
  becomes(
    () => metricsOf(world),
    (metrics) => metrics.get('slipstream_fan_out_timelines_count') === POSTS,
  )

async function savedOn(world: TimelinesProcess): Promise<string> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const figures = (await (
    await fetch(`${world.origin()}/explore/api/figures`, { headers })
  ).json()) as {
    texts: Record<string, string>
  }
  return figures.texts['writesSaved']!
}

async function visibleTo(world: TimelinesProcess, name: string, token: string): Promise<number> {
  const { body } = await world.page(`following:${world.didOf(name)}`, 'limit=100', token)
  return body.events.length
}

test('the written entries are those readers see, and the omitted ones are the rest', async () => {
  const metrics = await complete(limited)
  const token = await limited.token('reader', 'read:*')
  const visible =
    (await visibleTo(limited, 'alice', token)) + (await visibleTo(limited, 'zoe', token))
  expect(await visibleTo(limited, 'zoe', token)).toBe(POSTS)
  const leftOut = 2 * POSTS - visible
  expect(leftOut).toBeGreaterThan(0)
  expect(metrics.get('slipstream_timeline_writes_total')).toBe(visible)
  expect(metrics.get('slipstream_timeline_writes_left_out_total')).toBe(leftOut)
  expect(metrics.get('slipstream_fan_out_timelines_sum')).toBe(2 * POSTS)
  expect(metrics.get('slipstream_fan_out_timelines_bucket{le="1"}')).toBe(0)
  expect(metrics.get('slipstream_fan_out_timelines_bucket{le="3"}')).toBe(POSTS)
  expect(metrics.get('slipstream_fan_out_seconds_count')).toBe(POSTS)
  expect(metrics.get('slipstream_fan_out_seconds_sum')).toBeGreaterThan(0)
  const percent = Math.round((leftOut / (2 * POSTS)) * 100)
  expect(await savedOn(limited)).toBe(
    `${leftOut} in the last hour (${percent} %), ${leftOut} since the start`,
  )
}, 400_000)

test('without a limit every timeline is written, and no savings are reported', async () => {
  const metrics = await complete(unlimited)
  expect(metrics.get('slipstream_timeline_writes_total')).toBe(2 * POSTS)
  expect(metrics.has('slipstream_timeline_writes_left_out_total')).toBe(false)
  expect(await savedOn(unlimited)).toBe('no limit')
}, 400_000)

test('pages, posts and the graph are counted and timed separately', async () => {
  const token = await unlimited.token('program', 'read:*', 'post:*', 'graph:read')
  await unlimited.page('custom:news', '', token)
  const note = {
    entity_id: 'x',
    entity_type: 'note',
    payload: {},
    producer_ts: '2026-01-01T00:00:00Z',
  }
  for (let i = 0; i < 2; i++) expect((await unlimited.post('news', note, token)).status).toBe(200)
  for (let i = 0; i < 3; i++) {
    await unlimited.ask('GET', `/v1/graph/follows?actor=${unlimited.didOf('zoe')}`, { token })
  }
  const metrics = await metricsOf(unlimited)
  const timed = (route: string) =>
    metrics.get(`slipstream_web_request_duration_seconds_count{route="${route}"}`)
  expect([timed('timeline-pages'), timed('timeline-posts'), timed('graph')]).toEqual([1, 2, 3])
  const buckets = [...metrics.keys()].filter((name) => name.includes('route="timeline-pages",le='))
  expect(buckets).toContain(
    'slipstream_web_request_duration_seconds_bucket{route="timeline-pages",le="0.01"}',
  )
}, 400_000)
