// What the worker of /read shows of a push: the served script runs in a context of its own, whose browser is a list.

import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { readRoutes } from '../../../src/features/read/routes.ts'

type Presented = { title: string; body: string; tag: string }
type Listener = (event: object) => void

const app = readRoutes(loadConfig({ SLIPSTREAM_HOSTNAME: 'appview.example.org' }, '/nowhere'))

async function visible(push: object, language = 'en-GB'): Promise<Presented> {
  const text = await (await app.request('/read/worker.js')).text()
  const listeners = new Map<string, Listener>()
  let found: Presented | undefined
  runInNewContext(text, {
    navigator: { language },
    location: { origin: 'https://appview.example.org' },
    addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
    registration: {
      async showNotification(title: string, { body, tag }: Presented) {
        found = { title, body, tag }
      },
    },
  })
  let work: Promise<unknown> | undefined
  const event = { data: { json: () => push }, waitUntil: (item: Promise<unknown>) => (work = item) }
  listeners.get('push')!(event)
  await work
  return found!
}

const author = { handle: 'bob.example.org', displayName: 'Bob' }
const subject = 'at://alice/app.bsky.feed.post/3kaaaaaaaaaaa'

test.each([
  [{ reason: 'like', subject }, 'Somebody liked your post'],
  [{ reason: 'like', subject, author }, 'Bob liked your post'],
  [{ reason: 'like', subject, author, count: 3 }, 'Bob and 2 more liked your post'],
  [{ reason: 'follow', author: { handle: 'bob.example.org' } }, '@bob.example.org follows you'],
  [{ reason: 'more', count: 6 }, 'New notifications: 6 more'],
  [{ reason: 'after-quiet-hours', count: 2 }, 'New notifications in quiet hours: 2'],
  [{ reason: 'of a later version' }, 'Slipstream'],
  [{}, 'Slipstream'],
])('%j reads “%s”', async (push, title) => {
  expect((await visible(push)).title).toBe(title)
})

test('it reads in the browser’s language', async () => {
  const push = { reason: 'reply', author, text: 'ja', uri: subject }
  expect(await visible(push, 'de-AT')).toEqual({
    title: 'Bob hat dir geantwortet',
    body: 'ja',
    tag: subject,
  })
  expect((await visible(push, 'ja')).title).toBe('Bob が返信')
  expect((await visible(push, 'fr')).title).toBe('Bob replied to you')
})

test('a group takes the place of what was shown of it, and what somebody wrote stands by itself', async () => {
  const tags = await Promise.all(
    [
      { reason: 'like', subject, uri: 'a' },
      { reason: 'like', subject, uri: 'b' },
      { reason: 'reply', subject, uri: 'c' },
      { reason: 'more', count: 1 },
    ].map(async (push) => (await visible(push)).tag),
  )
  expect(tags).toEqual([`like ${subject}`, `like ${subject}`, 'c', 'more'])
})
