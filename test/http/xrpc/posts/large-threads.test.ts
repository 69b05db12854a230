// A thread of posts as large as posts may be has as many of them as one answer holds.

import { expect, onTestFinished, test } from 'vitest'
import { blobOf, didOf } from '../../../support/records.ts'
import { createServingWorld } from '../../../support/serving-world.ts'

const [alice, bob] = [didOf('alice'), didOf('bob')]
const REPLIES = 120
const LONG = 90_000

function start() {
  const w = createServingWorld({ scope: 'network', members: ['alice'] })
  onTestFinished(() => w.dispose())
  for (const did of [alice, bob]) w.profile(did, {})
  const root = w.post(bob, 'the root')
  const embed = (i: number) => ({
    $type: 'app.bsky.embed.images',
    images: [{ image: blobOf(`${i}`), alt: 'a'.repeat(LONG) }],
  })
  for (let i = 0; i < REPLIES; i++)
    w.post(bob, { text: `${i}`, embed: embed(i), reply: { root, parent: root } })
  return { w, uri: root.uri }
}

type Thread = { thread: { post: { replyCount: number }; replies: { $type: string }[] } }
type Flat = { thread: { value: { $type: string } }[] }

test('a thread of large replies has some of them', async () => {
  const { w, uri } = start()
  const { thread } = await w.get<Thread>('app.bsky.feed.getPostThread', { uri }, alice)
  expect(thread.post.replyCount).toBe(REPLIES)
  expect(thread.replies.length).toBeGreaterThan(40)
  expect(thread.replies.length).toBeLessThan(REPLIES)
  const isComplete = ({ $type }: { $type: string }) => $type.endsWith('#threadViewPost')
  expect(thread.replies.every(isComplete)).toBe(true)
  const query = { anchor: uri, branchingFactor: 100 }
  const flat = await w.get<Flat>('app.bsky.unspecced.getPostThreadV2', query, alice)
  expect(flat.thread.length).toBeGreaterThan(40)
  expect(flat.thread.length).toBeLessThan(100)
  expect(flat.thread.every(({ value }) => value.$type.endsWith('#threadItemPost'))).toBe(true)
})

test('and fewer for visitors, whose pages are made of the answer', async () => {
  const { w, uri } = start()
  const { thread } = await w.get<Thread>('app.bsky.feed.getPostThread', { uri })
  expect(thread.post.replyCount).toBe(REPLIES)
  expect(thread.replies.length).toBeGreaterThan(10)
  expect(thread.replies.length).toBeLessThan(60)
})
