// A real arroba beside the product: the newest posts and all follows of an account there, and all posts, follows and
// blocks of a member there. Without Python or its registry, this says so and is skipped.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { tidAt } from '../../src/base/atproto/tid.ts'
import { DAY_MS } from '../../src/base/util/durations.ts'
import { type ForeignWorld, put, startForeignWorld } from '../support/foreign-world.ts'
import { didOf } from '../support/records.ts'
import { type Arroba, type ArrobaAccount, installArroba, startArroba } from './support/arroba.ts'
import { freePort } from './support/free-port.ts'

const POST = 'app.bsky.feed.post'
const FOLLOW = 'app.bsky.graph.follow'
const BLOCK = 'app.bsky.graph.block'
const EVERY_MS = DAY_MS / 3
const WITHIN = { timeout: 120_000, interval: 500 }

let arroba: Arroba | string
let world: ForeignWorld
let server: { stop: () => Promise<void> } | undefined

beforeAll(async () => {
  arroba = installArroba()
  if (typeof arroba === 'string') console.warn(`other-pds: SKIPPED, no arroba: ${arroba}`)
  world = await startForeignWorld({ timelineTarget: 300 })
})

afterAll(async () => {
  await Promise.all([world.close(), server?.stop()])
  if (typeof arroba === 'object') arroba.remove()
})

type Record = ArrobaAccount['records'][number]

/** One record every eight hours until now. */
function every(count: number, collection: string, fieldsOf: (i: number) => object): Record[] {
  return Array.from({ length: count }, (_, i) => {
    const atMs = world.startAt - (count - i) * EVERY_MS
    const createdAt = new Date(atMs).toISOString()
    return [collection, tidAt(atMs), { $type: collection, createdAt, ...fieldsOf(i) }]
  })
}

const numbers = (prefix: string, texts: string[]) =>
  texts.filter((text) => text.startsWith(prefix)).map((text) => Number(text.slice(1)))

test('accounts on arroba are read like those on any other server', async ({ skip }) => {
  if (typeof arroba === 'string') return skip(arroba)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const member = await world.person('member', world.home)
  const [bridged, own] = [await world.named('bridged', origin), await world.named('own', origin)]
  const newest = await world.person('newest', world.home)
  const blocked = await world.person('blocked', world.home)
  for (const account of [newest, blocked])
    put(account, POST, { text: 'N1' }, world.startAt - DAY_MS)
  put(member, FOLLOW, { subject: bridged.did }, world.startAt)
  const subjects = (last: string) => (i: number) => ({
    subject: i === 1_199 ? last : didOf(`followed${i}`),
  })
  const accounts: ArrobaAccount[] = [
    {
      did: bridged.did,
      handle: bridged.handle,
      records: [
        ...every(1_500, POST, (i) => ({ text: `B${i}` })),
        ...every(1_300, FOLLOW, (i) => ({ subject: didOf(`followed${i}`) })),
      ],
    },
    {
      did: own.did,
      handle: own.handle,
      records: [
        ...every(150, POST, (i) => ({ text: `O${i}` })),
        ...every(1_200, FOLLOW, subjects(newest.did)),
        ...every(1_200, BLOCK, subjects(blocked.did)),
      ],
    },
  ]
  server = await startArroba(arroba, { port, accounts })
  for (const { did } of [member, own]) world.w.member(did)

  const expected = (count: number, most: number) =>
    Array.from({ length: most }, (_, i) => count - 1 - i)
  await expect
    .poll(async () => numbers('B', await world.timeline(member)).slice(0, 100), WITHIN)
    .toEqual(expected(1_500, 100))
  await expect
    .poll(async () => (await world.profile(bridged, member)).followsCount, WITHIN)
    .toBe(1_300)
  await expect
    .poll(async () => numbers('O', await world.authorFeed(own, own)), WITHIN)
    .toEqual(expected(150, 150))
  const viewerOf = async (item: { did: string }) => (await world.profile(item, own)).viewer
  await expect.poll(async () => (await viewerOf(blocked)).blocking, WITHIN).toBeTypeOf('string')
  await expect.poll(async () => (await viewerOf(newest)).following, WITHIN).toBeTypeOf('string')
  expect(await world.timeline(own)).toContain('N1')
})
