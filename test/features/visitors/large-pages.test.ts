// Pages for visitors of posts as large as posts may be: written some at a time, and not without end.

import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { CallTime } from '../../../src/base/util/turn.ts'
import { createAsk } from '../../../src/features/visitors/ask.ts'
import { visitorRoutes } from '../../../src/features/visitors/routes.ts'
import { blobOf, didOf } from '../../support/records.ts'
import { createServingWorld } from '../../support/serving-world.ts'

const alice = didOf('alice')
const config = {
  hostname: 'appview.example.org',
  publicOrigin: 'https://appview.example.org',
  imageUrlPattern: 'https://cdn.example.org/{preset}/{did}/{cid}',
  videoThumbnailUrlPattern: 'https://video.example.org/{did}/{cid}',
}

function start() {
  const w = createServingWorld({ scope: 'network', members: ['alice'] })
  onTestFinished(() => w.dispose())
  w.profile(alice, { displayName: 'Alice' })
  const routes = visitorRoutes(config, async (request) => w.server.fetch(request))
  /** @returns the page, and in how many turns it was made from its answers */
  async function read(path: string, turnMs: number) {
    let clockMs = 0
    let turns = 0
    const goOn = <T>(work: () => T) => {
      turns++
      return work()
    }
    const time = new CallTime({ turnMs, clock: () => clockMs++, goOn })
    const incoming = { socket: { remoteAddress: '203.0.113.1' } } as IncomingMessage
    const answer = await time.run(() => routes.request(path, {}, { incoming, time }))
    return { text: await answer.text(), turns }
  }
  return { w, read }
}

test.each(['', '/feed.atom'])('posts at /profile/…%s are written in several turns', async (end) => {
  const { w, read } = start()
  for (let i = 0; i < 25; i++) w.post(alice, `post ${i} & "more"`)
  const plain = await read(`/profile/${alice}${end}`, Number.POSITIVE_INFINITY)
  const hurried = await read(`/profile/${alice}${end}`, 1)
  expect(hurried.text).toBe(plain.text)
  expect(hurried.text).toContain('post 24 &#38;')
  expect(hurried.turns - plain.turns).toBeGreaterThan(3)
})

test('others come between an answer of megabytes, reading it, and what is made of it', async () => {
  const happened: string[] = []
  const others = (when: string) => setImmediate(() => happened.push(`others ${when}`))
  const visit = async () => {
    others('before')
    return Response.json({ text: 'x'.repeat(2_000_000) })
  }
  const time = {
    run<T>(read: () => T): T {
      happened.push('read')
      others('after')
      return read()
    },
  }
  const page = { req: { header: () => undefined }, env: { time } } as unknown as Context
  const { text } = await createAsk(visit, page)<{ text: string }>('a.b.c', {})
  expect(text).toHaveLength(2_000_000)
  expect(happened).toEqual(['others before', 'read', 'others after'])
})

test('texts of pictures are as long as what people write', async () => {
  const { w, read } = start()
  const images = [{ image: blobOf('one'), alt: 'x'.repeat(50_000) }]
  w.post(alice, { text: 'a picture', embed: { $type: 'app.bsky.embed.images', images } })
  const { text } = await read(`/profile/${alice}`, Number.POSITIVE_INFINITY)
  expect(text.match(/alt="(x*)"/)?.[1]).toHaveLength(2_000)
})

test('of a thread without end, the first replies are shown', async () => {
  const { w, read } = start()
  const root = w.post(alice, 'the root')
  for (let i = 0; i < 230; i++) w.post(alice, { text: `no ${i}`, reply: { root, parent: root } })
  const path = `/profile/${alice}/post/${root.uri.split('/').at(-1)}`
  const { text } = await read(path, Number.POSITIVE_INFINITY)
  expect(text.match(/<li>/g)).toHaveLength(200)
  expect(text).toContain('There are more replies.')
})
