// Bad requests to the timelines service, from strangers and faulty programs: each is refused with a reason,
// and none writes anything.

import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorSchema } from '../../../../scripts/docs/openapi-document.ts'
import { cliJson, runCli } from '../../../support/cli.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../../support/timelines-process.ts'

let world: TimelinesProcess
let all: string
let reader: string

beforeAll(async () => {
  world = await startTimelinesProcess(['alice', 'bob'], { VISITOR_RATE_LIMIT: '400' })
  await world.start()
  all = await world.token('all', 'read:*', 'post:custom:*')
  reader = await world.token('reader', 'read:custom:a*')
  for (const name of ['a', 'b']) expect((await world.post(name, note(), all)).status).toBe(200)
}, 400_000)
afterAll(() => world.close())

const note = (more: object = {}) => ({
  entity_id: 'x',
  entity_type: 'note',
  payload: {},
  producer_ts: new Date().toISOString(),
  ...more,
})

type Refusal = { error: string; message: string }

async function refusal(
  method: string,
  path: string,
  options: Parameters<TimelinesProcess['ask']>[2],
) {
  const { status, body } = await world.ask<Refusal>(method, path, options)
  errorSchema.parse(body)
  return [status, body.error]
}

const A = '/v1/timelines/custom:a/events'

describe('reading', () => {
  test.each([
    ['an unknown kind', 'weather:x', '', 400, 'InvalidRequest'],
    ['an author that is not a DID', 'author:alice', '', 400, 'InvalidRequest'],
    ['a bad name', 'custom:A B', '', 400, 'InvalidRequest'],
    [
      'a record that is not a list',
      'list:at://did:plc:x/app.bsky.feed.post/1',
      '',
      400,
      'InvalidRequest',
    ],
    ['a timeline named twice', 'custom:a+custom:a', '', 400, 'InvalidRequest'],
    [
      'too many timelines',
      Array.from({ length: 17 }, (_, i) => `custom:a${i}`).join('+'),
      '',
      400,
      'InvalidRequest',
    ],
    ['a very long key', `custom:a+${'author:did:plc:x+'.repeat(300)}`, '', 400, 'InvalidRequest'],
    ['a nonexistent timeline', 'custom:never', '', 404, 'UnknownTimeline'],
    ['an unknown account', 'author:did:plc:nobody', '', 404, 'UnknownTimeline'],
    [
      'a merge with an unknown account',
      'custom:a+author:did:plc:nobody',
      '',
      404,
      'UnknownTimeline',
    ],
    ['limit 0', 'custom:a', 'limit=0', 400, 'InvalidRequest'],
    ['two limits', 'custom:a', 'limit=1&limit=2', 400, 'InvalidRequest'],
    ['two cursors', 'custom:a', 'cursor=a&cursor=b', 400, 'InvalidRequest'],
    ['limit 101', 'custom:a', 'limit=101', 400, 'InvalidRequest'],
    ['limit 1e1', 'custom:a', 'limit=1e1', 400, 'InvalidRequest'],
    ['direction sideways', 'custom:a', 'direction=sideways', 400, 'InvalidRequest'],
    ['since -1', 'custom:a', 'since=-1', 400, 'InvalidRequest'],
    ['a since that is too large', 'custom:a', 'since=99999999999999999', 400, 'InvalidRequest'],
    ['since in a merge', 'custom:a+custom:b', 'since=1', 400, 'InvalidRequest'],
    ['since backward', 'custom:a', 'since=1&direction=backward', 400, 'InvalidRequest'],
    ['an invalid cursor', 'custom:a', 'cursor=abc', 400, 'BadCursor'],
    ['an overlong cursor', 'custom:a', `cursor=${'a'.repeat(10_000)}`, 400, 'BadCursor'],
  ])('%s', async (_, key, query, status, error) => {
    const answer = await world.page(key, query, all)
    expect([answer.status, (answer.body as unknown as Refusal).error]).toEqual([status, error])
  })

  test('refuses a tampered cursor, another timeline’s cursor and one for the other direction', async () => {
    const { body } = await world.page('custom:a', '', all)
    const cursor = body.prev_cursor!
    const error = async (key: string, query: string) =>
      ((await world.page(key, query, all)).body as unknown as Refusal).error
    expect(await error('custom:b', `cursor=${cursor}`)).toBe('BadCursor')
    const [content, signature] = cursor.split('.') as [string, string]
    const forged = JSON.parse(Buffer.from(content, 'base64url').toString()) as { s: string[] }
    forged.s = ['0']
    const changed = Buffer.from(JSON.stringify(forged)).toString('base64url')
    expect(await error('custom:a', `cursor=${changed}.${signature}`)).toBe('BadCursor')
    expect(await error('custom:a', `cursor=${content}.${'A'.repeat(43)}`)).toBe('BadCursor')
    expect(await error('custom:a', `cursor=${cursor}&direction=backward`)).toBe('InvalidRequest')
    expect(await error('custom:a', `cursor=${cursor}&since=1`)).toBe('InvalidRequest')
    expect((await world.page('custom:a', `cursor=${cursor}`, all)).status).toBe(200)
  })
})

test.each([
  ['PUT', A, 'GET, HEAD, POST'],
  ['TRACE', '/v1/graph/follows?actor=did:plc:x', 'GET, HEAD'],
  ['GET', '/v1/graph/contains', 'POST'],
  ['PATCH', '/v1/graphs/friends', 'GET, HEAD, DELETE'],
])('%s %s is not an allowed method', async (method, path, allow) => {
  // Through node:http, because fetch sends no TRACE.
  const asking = request(world.origin() + path, { method }).end()
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  const chunks = (await answer.toArray()) as Buffer[]
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow])
  expect(errorSchema.parse(JSON.parse(Buffer.concat(chunks).toString())).error).toBe(
    'MethodNotAllowed',
  )
})

test('refuses a kept position with fields besides the cursor', async () => {
  const { body } = await world.page('custom:a', '', all)
  const put = { cursor: body.prev_cursor, more: 1 }
  expect(await refusal('PUT', '/v1/timelines/custom:a/cursor', { token: all, body: put })).toEqual([
    400,
    'InvalidRequest',
  ])
})

describe('posting', () => {
  test.each([
    ['invalid JSON', '{', 400, 'InvalidRequest'],
    ['a list', [], 400, 'InvalidRequest'],
    ['an empty object', {}, 400, 'InvalidRequest'],
    ['an unknown field', note({ colour: 'red' }), 400, 'InvalidRequest'],
    ['no payload', { ...note(), payload: undefined }, 400, 'InvalidRequest'],
    ['an invalid time', note({ producer_ts: 'yesterday' }), 400, 'InvalidRequest'],
    ['an empty name', note({ entity_id: '' }), 400, 'InvalidRequest'],
    ['a bad type', note({ entity_type: 'two words' }), 400, 'InvalidRequest'],
    ['sequence number 0', note({ producer_seq: 0 }), 400, 'InvalidRequest'],
    [
      'a sequence number of 60 bits',
      JSON.stringify(note()).replace(/}$/, ',"producer_seq":900719925474099300}'),
      400,
      'InvalidRequest',
    ],
    ['a producer without a number', note({ producer_id: 'p' }), 400, 'InvalidRequest'],
    ['a large payload', note({ payload: 'x'.repeat(16_385) }), 413, 'PayloadTooLarge'],
    ['a large body', note({ payload: 'x'.repeat(200_000) }), 413, 'PayloadTooLarge'],
    ['deeply nested JSON', `{"payload":${'['.repeat(50_000)}`, 400, 'InvalidRequest'],
  ])('%s', async (_, body, status, error) => {
    expect(await refusal('POST', A, { token: all, body })).toEqual([status, error])
  })

  test('refuses posts to timelines that take none, and posts without a JSON content type', async () => {
    for (const key of [`author:${world.didOf('alice')}`, 'custom:a+custom:b']) {
      const path = `/v1/timelines/${encodeURIComponent(key)}/events`
      expect(await refusal('POST', path, { token: all, body: note() })).toEqual([
        400,
        'InvalidRequest',
      ])
    }
    const headers = { 'content-type': 'text/plain' }
    expect(await refusal('POST', A, { token: all, body: note(), headers })).toEqual([
      415,
      'UnsupportedMediaType',
    ])
    expect((await world.page('custom:a', '', all)).body.events).toHaveLength(1)
  })
})

describe('unusual requests', () => {
  test('refuses an invalid time, but not the posts sent beside it', async () => {
    const bad = () => world.post('a', note({ producer_ts: '2026-01-01T00:00:00+99:99' }), all)
    const good = () => world.post('beside', note(), all)
    const answers = await Promise.all([good(), bad(), good(), bad(), good()])
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400, 200])
    expect(await refusal('POST', A, { token: all, body: note({ entity_id: '\ud800' }) })).toEqual([
      400,
      'InvalidRequest',
    ])
  })

  test('keeps the digits of numbers in a payload', async () => {
    const payload = '{"id":12345678901234567890,"n":[0.1000000000000000055,1e400,-1.5e3,7,2.5]}'
    const given = JSON.stringify(note({ payload: 0 })).replace(
      '"payload":0',
      `"payload":${payload}`,
    )
    expect((await world.post('exact', given, all)).status).toBe(200)
    const url = `${world.origin()}/v1/timelines/custom:exact/events`
    const page = await fetch(url, { headers: { authorization: `Bearer ${all}` } })
    expect(await page.text()).toContain(`"payload":${payload.replace('-1.5e3', '-1500')}`)
  })

  test('HEAD of a stream returns only the headers and leaves the connection usable', async () => {
    const graph = await world.token('graph', 'graph:read')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async (method: string, path: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const { port } = new URL(world.origin())
      const requested = request({ port, agent, method, path, headers })
      const [response] = (await once(requested.end(), 'response')) as [IncomingMessage]
      await once(response.resume(), 'end')
      return [response.statusCode, response.headers['content-type'], requested.reusedSocket]
    }
    expect(await ask('HEAD', '/v1/timelines/custom:a/stream?since=0', all)).toEqual([
      ...[200, 'text/event-stream; charset=utf-8', false],
    ])
    expect(await ask('HEAD', '/v1/graph/adjacency', graph)).toEqual([
      ...[200, 'application/x-ndjson', true],
    ])
    expect((await ask('GET', A, all)).at(-1)).toBe(true)
    agent.destroy()
  })
})

describe('authorization', () => {
  test('refuses requests without a token or with a wrong one', async () => {
    expect(await refusal('GET', A, {})).toEqual([401, 'AuthMissing'])
    expect(await refusal('GET', A, { token: 'slt_wrong' })).toEqual([401, 'InvalidToken'])
    expect(await refusal('GET', A, { token: 'x.y.z' })).toEqual([401, 'BadJwt'])
    expect(await refusal('GET', '/v1/timelines/custom:a/stream', {})).toEqual([401, 'AuthMissing'])
    expect(await refusal('PUT', '/v1/timelines/custom:a/cursor', {})).toEqual([401, 'AuthMissing'])
  })

  test('limits a token to its scopes', async () => {
    expect((await world.page('custom:a', '', reader)).status).toBe(200)
    expect(await refusal('GET', '/v1/timelines/custom:b/events', { token: reader })).toEqual([
      403,
      'OutOfScope',
    ])
    const merge = '/v1/timelines/custom:a+custom:b/events'
    expect(await refusal('GET', merge, { token: reader })).toEqual([403, 'OutOfScope'])
    expect(await refusal('POST', A, { token: reader, body: note() })).toEqual([403, 'OutOfScope'])
  })

  test('rate-limits a token, and refuses it once it is revoked', async () => {
    const { token } = await cliJson<{ token: string }>(world.settings, [
      ...['token', 'create', 'slow', '--rate', '2', '--scope', 'read:*'],
    ])
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await world.page('custom:a', '', token)).status)
    // The second may be refused, too: an answer's processor time is charged afterwards.
    expect([statuses[0], statuses[2]]).toEqual([200, 429])
    const again = await runCli(world.settings, ['token', 'create', 'slow', '--scope', 'read:*'])
    expect(again.stderr).toContain('There is, or was, a token called slow')
    const wrong = await runCli(world.settings, ['token', 'create', 'w', '--scope', 'write:all'])
    expect(wrong.stderr).toContain('scopes are invalid: "write:all"')
    await cliJson(world.settings, ['token', 'revoke', 'slow'])
    expect(await refusal('GET', A, { token })).toEqual([401, 'InvalidToken'])
    const { tokens } = await cliJson<{ tokens: object[] }>(world.settings, ['token', 'list'])
    expect(JSON.stringify(tokens)).not.toContain(token)
    expect(tokens).toContainEqual(
      expect.objectContaining({ name: 'slow', revokedAt: expect.any(String) }),
    )
  })

  test('allows any web origin, and lists the methods and headers it may send', async () => {
    const headers = {
      origin: 'https://example.org',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type',
    }
    const response = await fetch(world.origin() + A, { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    const { headers: answered } = await world.page('custom:a', '', all)
    expect(answered.get('access-control-allow-origin')).toBe('*')
    expect(answered.get('access-control-expose-headers')).toMatch(/Retry-After.*Slipstream-Behind/)
  })

  test('rate-limits an address after repeated failures', async () => {
    const statuses = new Set<number>()
    for (let i = 0; i < 450 && !statuses.has(429); i++) {
      statuses.add(
        (
          await world.ask('GET', A, {
            token: 'slt_wrong',
            headers: { 'x-forwarded-for': '198.51.100.7' },
          })
        ).status,
      )
    }
    expect([...statuses]).toEqual([401, 429])
    expect((await world.page('custom:a', '', all)).status).toBe(200)
  }, 400_000)
})
