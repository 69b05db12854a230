// Positions that readers have stored: few and small, and gone with the member or the token that stored them.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { cursorSchema } from '../../../../scripts/docs/openapi-document.ts'
import { openReadOnly } from '../../../../src/data/store/db.ts'
import { cliJson, runCli } from '../../../support/cli.ts'
import { until } from '../../../support/eventually.ts'
import { signServiceJwt } from '../../../support/service-jwt.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../support/timelines-process.ts'

const LIST = 'app.bsky.graph.list'
const MOST_OF_MEMBER = 64
/** SQLite's pages and indexes included; a stored merge of 16 lists once took 9 kB. */
const MOST_BYTES = 100_000
let world: TimelinesProcess
let lists: string[]
let jwt: string

beforeAll(async () => {
  world = await startTimelinesProcess(['alice'], { MEMBER_RATE_LIMIT: '100000' })
  await world.start()
  const { keypair, did } = world.accountOf('alice')
  const fields = { purpose: 'app.bsky.graph.defs#curatelist', name: 'a list' }
  lists = Array.from(
    { length: 16 },
    () => `list:at://${did}/${LIST}/${world.emit('alice', LIST, fields)}`,
  )
  jwt = await signServiceJwt(keypair, {
    iss: did,
    aud: 'did:web:localhost',
    lxm: 'io.slipstream.timelines.read',
  })
  await becomes(
    () => world.page(lists.at(-1)!, '', jwt),
    ({ status }) => status === 200,
  )
}, 400_000)
afterAll(() => world.close())

const pathOf = (key: string) => `/v1/timelines/${encodeURIComponent(key)}/cursor`

/** Stores the position before the oldest event. */
async function store(key: string, token: string) {
  const { body } = await world.page(key, 'direction=forward', token)
  const cursor = body.next_cursor!
  const put = await world.ask<{ cursor: string; error?: string }>('PUT', pathOf(key), {
    token,
    body: { cursor },
  })
  return { ...put, cursor }
}

function rows(): { count: number; bytes: number } {
  const db = openReadOnly(world.settings.DATA_DIR)
  const count = db.prepare<[], number>('SELECT count(*) FROM timeline_cursors').pluck().get()!
  const bytes = db
    .prepare<[], number>("SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%timeline_cursors%'")
    .pluck()
    .get()!
  db.close()
  return { count, bytes }
}

/** The lists in another order: a timeline of its own. */
function turned(by: number, swapped: number): string[] {
  const all = [...lists.slice(by), ...lists.slice(0, by)]
  return all.with(0, all[swapped]!).with(swapped, all[0]!)
}

test('a member stores a few positions of merges of 16 lists, in little space, and is told when full', async () => {
  const before = rows().count
  const keys = Array.from({ length: 80 }, (_, i) => turned(i % 16, 1 + (i >> 4)).join('+'))
  const answers = new Map<string, Awaited<ReturnType<typeof store>>>()
  for (const key of keys) answers.set(key, await store(key, jwt))
  const stored = [...answers].filter(([, { status }]) => status === 200)
  const refused = [...answers.values()].filter(({ status }) => status !== 200)
  expect(stored.length).toBeLessThanOrEqual(MOST_OF_MEMBER)
  expect(stored.length).toBeGreaterThanOrEqual(32)
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
    new Set(['429 TooManyCursors']),
  )
  expect(rows().count - before).toBe(stored.length)
  expect(rows().bytes).toBeLessThan(MOST_BYTES)
  for (const [key, { cursor }] of stored) {
    const got = await world.ask<{ cursor: string }>('GET', pathOf(key), { token: jwt })
    cursorSchema.parse(got.body)
    expect(got.body.cursor).toBe(cursor)
  }
  const [key] = stored[0]!
  // One that is stored already can be replaced.
  expect((await store(key, jwt)).status).toBe(200)
}, 400_000)

test('a revoked token’s positions are deleted at once', async () => {
  const token = await world.token('brief', 'read:custom:*', 'post:custom:*')
  const note = { entity_id: 'x', entity_type: 'note', payload: {} }
  await world.post('a', { ...note, producer_ts: new Date().toISOString() }, token)
  const before = rows().count
  expect((await store('custom:a', token)).status).toBe(200)
  expect(rows().count).toBe(before + 1)
  await cliJson(world.settings, ['token', 'revoke', 'brief'])
  expect(rows().count).toBe(before)
}, 400_000)

test('a removed member’s positions are deleted', async () => {
  expect(rows().count).toBeGreaterThan(0)
  await runCli(world.settings, ['member', 'remove', world.didOf('alice')])
  await until(() => rows().count === 0)
}, 400_000)
