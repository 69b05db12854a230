// Why a post is in a member's own timeline, or not: followed, reposted, drawn, muted, blocked. As getTimeline has it.

import { afterEach, expect, test } from 'vitest'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let w: ServingWorld
afterEach(() => w?.dispose())

function start(reasonableLimit = 0): ServingWorld {
  const env = { SLIPSTREAM_REASONABLE_LIMIT: String(reasonableLimit) }
  w = createServingWorld({ scope: 'network', members: ['alice', 'bob'], env, reasonableLimit })
  for (const did of [alice, bob, carol]) w.profile(did, { displayName: did.slice(-5) })
  return w
}

type Answer = { isThere: boolean; reasons: string[]; reposts?: number; share: number }

/** What it says agrees with what the timeline shows. */
async function reasonsOf(uri: string, by = alice): Promise<Answer> {
  const answer = await w.get<Answer>('io.slipstream.feed.getPostReasons', { uri }, by)
  const timeline = await w.get<{ feed: { post: { uri: string } }[] }>(
    'app.bsky.feed.getTimeline',
    { limit: '100' },
    by,
  )
  expect(timeline.feed.some(({ post }) => post.uri === uri)).toBe(answer.isThere)
  return answer
}

test('by whom it comes', async () => {
  start()
  const [own, post] = [w.post(alice), w.post(carol)]
  w.follow(alice, bob)
  expect(await reasonsOf(own.uri)).toMatchObject({ isThere: true, reasons: ['own'], share: 1000 })
  expect(await reasonsOf(post.uri)).toMatchObject({ isThere: false, reasons: ['not-followed'] })
  w.repost(bob, post)
  const reposted = { isThere: true, reasons: ['not-followed', 'reposted'], reposts: 1 }
  expect(await reasonsOf(post.uri)).toMatchObject(reposted)
  w.follow(alice, carol)
  expect(await reasonsOf(post.uri)).toMatchObject({ reasons: ['followed', 'reposted'] })
  const gone = `at://${bob}/app.bsky.feed.post/3kaaaaaaaaaaa`
  expect(await reasonsOf(gone)).toMatchObject({ isThere: false, reasons: ['not-here'] })
})

test('what keeps it away', async () => {
  start()
  const post = w.post(bob)
  w.follow(alice, bob)
  await w.tell('app.bsky.graph.muteActor', { actor: bob }, alice)
  expect(await reasonsOf(post.uri)).toMatchObject({
    isThere: false,
    reasons: ['followed', 'muted'],
  })
  await w.tell('app.bsky.graph.unmuteActor', { actor: bob }, alice)
  expect(await reasonsOf(post.uri)).toMatchObject({ isThere: true, reasons: ['followed'] })
  w.block(bob, alice)
  expect(await reasonsOf(post.uri)).toMatchObject({
    isThere: false,
    reasons: ['followed', 'blocked'],
  })
})

test('what a lossy timeline draws, and to nobody but its reader', async () => {
  start(1)
  w.follow(alice, bob)
  for (let i = 0; i < 3; i++) w.follow(alice, didOf(`author${i}`))
  const posts = Array.from({ length: 20 }, () => w.post(bob))
  const answers: Answer[] = []
  for (const { uri } of posts) answers.push(await reasonsOf(uri))
  expect(answers.every(({ share }) => share === 250)).toBe(true)
  const missed = answers.filter(({ isThere }) => !isThere)
  expect(missed.length).toBeGreaterThan(0)
  for (const { reasons } of missed) expect(reasons).toEqual(['followed', 'not-drawn'])
  const { status } = await w.ask('io.slipstream.feed.getPostReasons', { uri: posts[0]!.uri })
  expect(status).toBe(401)
})
