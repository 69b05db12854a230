// Collections on servers that list in other orders than Bluesky's: all records, or the newest, arrive from each,
// over real HTTP, and only what is gone counts as gone.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { positionOfText, textOfPosition } from '../../../src/ingest/backfill/feed-position.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { walkComplete } from '../../../src/sources/pds/complete-walk.ts'
import { walkNewest } from '../../../src/sources/pds/newest.ts'
import { createPdsClient } from '../../../src/sources/pds/pds-client.ts'
import type { ListedPage, Position } from '../../../src/sources/pds/walk.ts'
import {
  arroba,
  cocoon,
  inventions,
  millipds,
  pegasus,
  rewriting,
  rsky,
  type Software,
  withoutFile,
} from '../../support/foreign-pds.ts'
import type { Answer } from '../../support/pds-answers.ts'
import { type PdsAccount, type PdsDouble, startPdsDouble } from '../../support/pds-double.ts'
import { createRandom } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'

const POST = 'app.bsky.feed.post'
const COUNT = 450
const FIRST_MS = 1_780_000_000_000
const seed = testSeed('any-order')

const bluesky: Software = () => undefined
type Listing = { records: Listed[]; cursor?: string }
type Listed = { uri: string; cid?: string; value: object }

/** Rewrites each record that is listed. */
function each(rewrite: (one: Listed) => Listed | Listed[]): Software {
  return rewriting(millipds, (answer) => {
    const body = answer.body as Listing
    return { ...answer, body: { ...body, records: body.records.flatMap(rewrite) } }
  })
}

/** As programs on .NET begin a text. */
const withMark = (answer: Answer): Answer => ({
  ...answer,
  body: Buffer.from(`\ufeff${JSON.stringify(answer.body)}`),
  headers: { 'content-type': 'application/json' },
})
const withHandle = ({ uri, ...one }: Listed) => ({
  ...one,
  uri: uri.replace(/did:[^/]+/, 'alice.test'),
})
const withBadNeighbour = (one: Listed) => [
  { ...one, uri: `${one.uri.slice(0, one.uri.lastIndexOf('/'))}/not a key` },
  one,
]

function withNumber(answer: Answer): Answer {
  const { cursor, ...body } = answer.body as Listing
  return { ...answer, body: { ...body, ...(cursor && { cursor: Number(cursor) }) } }
}

const servers: [string, Software][] = [
  ['Bluesky', bluesky],
  ['arroba', arroba()],
  ['arroba without getRepo', arroba({ hasNoFile: true })],
  ['cocoon', cocoon],
  ['pegasus', pegasus],
  ['rsky', rsky],
  ['millipds', millipds],
  ['rising, reversible', inventions.rising],
  ['capped at 30', inventions.capped(30)],
  ['without a limit', inventions.unlimited],
  ['with an inclusive cursor', inventions.inclusive],
  ['without an order', inventions.scattered],
  ['with ties', inventions.tied],
  ['echoing the cursor at the end', inventions.echoing],
  ['with the next key as cursor', inventions.ahead],
  ['with numbers as cursors', rewriting(inventions.scattered, withNumber)],
  ['without CIDs', each(({ cid: _, ...one }) => one)],
  ['with handles in URIs', each(withHandle)],
  ['with a byte order mark', rewriting(rsky, withMark)],
  ['with keys that no record may have', each(withBadNeighbour)],
  [
    'behind a proxy that says 203',
    rewriting(inventions.rising, (answer) => ({ ...answer, status: 203 })),
  ],
]

let pds: PdsDouble
let alice: PdsAccount
let keys: string[]

/** Posts over months; some are edited, long after they were written. */
beforeEach(async () => {
  pds = await startPdsDouble()
  alice = pds.create({ did: didOf('alice'), handle: 'alice.test' })
  const random = createRandom(seed)
  let atMs = FIRST_MS
  keys = Array.from({ length: COUNT }, (_, i) => {
    atMs += 1 + random.below(4 * 3_600_000)
    return alice.put({ collection: POST, value: { text: `post ${i}` }, atMs }).rkey
  })
  for (let i = 0; i < 20; i++) {
    atMs += 60_000
    alice.put({ collection: POST, rkey: random.pick(keys), value: { text: 'edited' }, atMs })
  }
})

afterEach(() => pds.close())

function walkParts() {
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const client = createPdsClient({ fetch, timeoutMs: 5_000 })
  const services = { pds: client, now: Date.now, signal: new AbortController().signal }
  const repo = { uid: 1, did: alice.did, pds: pds.origin }
  const taken = new Map<string, string>()
  const order: string[] = []
  const onPage = async ({ records }: ListedPage) => {
    for (const { rkey, cid } of records) {
      if (!taken.has(rkey)) order.push(rkey)
      taken.set(rkey, cid)
    }
  }
  return { services, repo, taken, order, onPage }
}

describe.each(servers)('on a server like %s', (name, software) => {
  beforeEach(() => pds.runs(software))

  test('a collection is read as a whole', async () => {
    const { services, repo, taken, onPage } = walkParts()
    const end = await walkComplete(services, repo, {
      collection: POST,
      maxRecords: 100_000,
      onPage,
    })
    const stored = [...alice.collections.get(POST)!.values()]
    expect(Object.fromEntries(taken)).toEqual(
      Object.fromEntries(stored.map(({ rkey, cid }) => [rkey, cid])),
    )
    expect(end.complete).toBe(true)
    expect(pds.stats().requests).toBeLessThan(20)
  })

  test('the newest records come first, and older ones from where reading stopped', async () => {
    const { services, repo, order, onPage } = walkParts()
    const newest = keys.toReversed()
    const bounds = { collection: POST, maxRecords: 100, onPage, isEnough: () => true } as const
    let end = await walkNewest(services, repo, bounds)
    const firstCount = order.length
    expect(firstCount).toBeGreaterThanOrEqual(name === 'capped at 30' ? 30 : 100)
    expect(order).toEqual(newest.slice(0, firstCount))
    for (let from: Position | undefined = end?.next; from; from = end?.next) {
      end = await walkNewest(services, repo, { ...bounds, from })
    }
    expect(order).toEqual(newest)
    expect(pds.stats().requests).toBeLessThan(25)
  })
})

test.each([
  ['without an order', inventions.scattered],
  ['without an order or a file', withoutFile(inventions.scattered)],
  ['like arroba without getRepo', arroba({ hasNoFile: true })],
])(
  'thousands of posts on a server %s are read to the first one',
  async (_, software) => {
    for (let i = 0; i < 2_400; i++) {
      const atMs = FIRST_MS + (COUNT * 4 + i) * 3_600_000
      keys.push(alice.put({ collection: POST, value: { text: `later post ${i}` }, atMs }).rkey)
    }
    pds.runs(software)
    const { services, repo, order, onPage } = walkParts()
    const bounds = { collection: POST, maxRecords: 100, onPage, isEnough: () => true } as const
    let end = await walkNewest(services, repo, bounds)
    for (let from: Position | undefined = end?.next; from; from = end?.next) {
      end = await walkNewest(services, repo, {
        ...bounds,
        from: positionOfText(textOfPosition(from)!),
      })
    }
    expect(order).toEqual(keys.toReversed())
    expect(pds.stats().requests).toBeLessThan(250)
  },
  60_000,
)

test('a server that refuses `reverse` is asked for it once a day', async () => {
  pds.runs(arroba())
  const { services, repo, onPage } = walkParts()
  let nowMs = FIRST_MS
  const parts = { ...services, now: () => nowMs }
  let reversed = 0
  pds.onRequest(({ query }) => {
    if (query['reverse'] === 'true') reversed++
  })
  const walk = () => walkNewest(parts, repo, { collection: POST, maxRecords: 100, onPage })
  await walk()
  await walk()
  expect(reversed).toBe(1)
  nowMs += 25 * 3_600_000
  await walk()
  expect(reversed).toBe(2)
})
