// Reading positions: private to a member, one for each timeline, for all of their devices; and how much of a
// timeline is there.

import { afterEach, expect, test } from 'vitest'
import { cidOf, didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
const FEED = 'io.slipstream.feed'
const CID = cidOf('a post')
const POSITION = `1700000000000__${CID}`

let w: ServingWorld
afterEach(() => w?.dispose())

type Position = { position?: string; updatedAt?: string }

function start(env: Record<string, string> = {}): ServingWorld {
  w = createServingWorld({ scope: 'network', members: ['alice', 'bob'], env })
  for (const did of [alice, bob, carol]) w.profile(did, { displayName: did.slice(-5) })
  return w
}

const put = (timeline: string, position: string, by = alice) =>
  w.tell(`${FEED}.putPosition`, { timeline, position }, by)
const get = (timeline: string, by = alice) =>
  w.get<Position>(`${FEED}.getPosition`, { timeline }, by)

test('a position is there for the member’s other devices, the last one counts, and nobody else sees it', async () => {
  start()
  expect(await get('following')).toEqual({})
  await put('following', POSITION)
  await put('following', `1700000000001__${CID}`)
  const { position, updatedAt } = await get('following')
  expect(position).toBe(`1700000000001__${CID}`)
  expect(Date.parse(updatedAt!)).toBeGreaterThan(0)
  expect(await get('following', bob)).toEqual({})
  expect((await w.ask(`${FEED}.getPosition`, { timeline: 'following' })).status).toBe(401)
})

test('what a feed answers as its start is a position, and leads to what is newer', async () => {
  start()
  w.follow(alice, bob)
  const old = w.post(bob)
  const timeline = 'app.bsky.feed.getTimeline'
  type Page = { feed: { post: { uri: string } }[]; startCursor?: string }
  const { startCursor } = await w.get<Page>(timeline, {}, alice)
  await put('following', startCursor!)
  const fresh = w.post(bob)
  const { position: since } = await get('following')
  const { feed } = await w.get<Page>(timeline, { since }, alice)
  expect(feed.map(({ post }) => post.uri)).toEqual([fresh.uri])
  expect(old.uri).not.toBe(fresh.uri)
})

test('positions of lists are apart, and the fifty put last are kept', async () => {
  start()
  const list = (n: number) => `at://${bob}/app.bsky.graph.list/3kaaaaaaaa${100 + n}`
  for (let n = 0; n < 51; n++) await put(list(n), `${1_700_000_000_000 + n}__${CID}`)
  expect(await get(list(0))).toEqual({})
  expect((await get(list(50))).position).toBe(`1700000000050__${CID}`)
  expect((await get(list(1))).position).toBe(`1700000000001__${CID}`)
})

test('what is no timeline or no position is refused', async () => {
  start()
  for (const [timeline, position] of [
    ['following', 'rubbish'],
    ['followed', POSITION],
    [`at://${bob}/app.bsky.feed.post/3kaaaaaaaaaaa`, POSITION],
  ] as const) {
    expect(await put(timeline, position)).toMatchObject({ status: 400 })
  }
  expect(await get('following')).toEqual({})
})

test('a timeline of many follows says what share of the posts it takes', async () => {
  start({ SLIPSTREAM_REASONABLE_LIMIT: '2' })
  const state = () => w.get(`${FEED}.getTimelineState`, {}, alice)
  w.follow(alice, bob)
  expect(await state()).toMatchObject({ follows: 1, share: 1000, limit: 2 })
  for (let i = 0; i < 3; i++) w.follow(alice, didOf(`author${i}`))
  expect(await state()).toMatchObject({ follows: 4, share: 500, limit: 2 })
})
