// Requests to a running process other than XRPC: each kind is charged separately, so that viewing the page or
// scraping is not refused because of other requests from the same address; and all of them are counted.

import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const TOKEN = 'the-operators-own-token'
const METHOD = '/xrpc/app.bsky.actor.getProfile?actor=nobody.example'
const HTML = { accept: 'text/html' }
/** Five minutes of a status page, and of a Prometheus that scrapes every ten seconds. */
const SCRAPES = 30
const LOOKS = 30

let slipstream: SlipstreamProcess
let origin: string

beforeAll(async () => {
  slipstream = startSlipstream({
    JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    PLC_URL: 'http://127.0.0.1:9',
    DATA_DIR: freshDataDir(),
    OPERATOR_TOKEN: TOKEN,
    VISITOR_RATE_LIMIT: '3',
    IMAGES: 'own',
    SERVE_THREADS: '2',
  })
  origin = `http://127.0.0.1:${await slipstream.port()}`
})
afterAll(() => slipstream?.stop('SIGKILL'))

async function statuses(times: number, path: string, headers: Record<string, string> = {}) {
  const seen = new Set<number>()
  for (let i = 0; i < times; i++) {
    const answer = await fetch(origin + path, { headers })
    await answer.arrayBuffer()
    seen.add(answer.status)
  }
  return [...seen]
}

async function metrics(): Promise<string> {
  return (await fetch(`${origin}/metrics`)).text()
}

/** Requests for pictures, with any outcome. */
function mediaIn(text: string): number {
  const line = /slipstream_web_requests_total\{route="media",status="\d+"\} (\d+)/g
  return [...text.matchAll(line)].reduce((sum, [, n]) => sum + Number(n), 0)
}

async function counted(route: string, status: number): Promise<number> {
  const text = await metrics()
  const line = `slipstream_web_requests_total\\{route="${route}",status="${status}"\\} (\\d+)`
  return Number(new RegExp(line).exec(text)?.[1] ?? 0)
}

test('an address that has used up its points still has its page, its scrapes and its routes', async () => {
  expect(await statuses(8, METHOD)).toContain(429)
  expect(await statuses(SCRAPES, '/metrics')).toEqual([200])
  expect(await statuses(1, '/', HTML)).toEqual([200])
  expect(await statuses(LOOKS, '/page/figures')).toEqual([200])
  expect(await statuses(2, '/operator/status', { authorization: `Bearer ${TOKEN}` })).toEqual([200])
  expect(await statuses(3, METHOD)).toEqual([429])
})

test('a flood of pages from one address ends in refusals, and affects no other', async () => {
  const flood = { ...HTML, 'x-forwarded-for': '198.51.100.7' }
  expect((await statuses(3_100, '/page/figures', flood)).sort()).toEqual([200, 429])
  // Points are renewed every five minutes, possibly in the middle of the flood.
  while ((await counted('pages', 429)) < 95) await statuses(100, '/page/figures', flood)
  const refused = await fetch(`${origin}/explore`, { headers: flood })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: 'RateLimitExceeded' })
  const other = { ...HTML, 'x-forwarded-for': '198.51.100.8' }
  expect(await statuses(1, '/explore', other)).toEqual([200])
  // One call alone: what it takes of a thread that has just started may be all that it may take.
  expect(await statuses(1, METHOD, other)).not.toContain(429)
})

test('pages, pictures and refusals are counted by route, and not as methods', async () => {
  const before = mediaIn(await metrics())
  expect(await statuses(4, '/img/avatar/plain/did:plc:nobody/bafynothing@jpeg')).not.toContain(200)
  const text = await metrics()
  expect(mediaIn(text)).toBe(before + 4)
  expect(await counted('pages', 429)).toBeGreaterThan(90)
  // A page of a thread that has just started costs more than a point.
  expect(await counted('pages', 200)).toBeGreaterThan(1_000)
  // Twice as many if points were renewed in the middle of the first test and it was retried.
  expect([2, 4]).toContain(await counted('operator', 200))
  expect(await counted('metrics', 200)).toBeGreaterThanOrEqual(SCRAPES)
  expect(text).not.toMatch(/slipstream_requests_total\{method="(pages|media|web|\/)/)
  const methods = [...text.matchAll(/slipstream_requests_total\{[^}]*\} (\d+)/g)]
  expect(methods.reduce((sum, [, n]) => sum + Number(n), 0)).toBeLessThan(100)
})
