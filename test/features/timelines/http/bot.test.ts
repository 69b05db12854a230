// The bot of docs/TIMELINES.md, run as written there.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../support/timelines-process.ts'

const ROOT = join(import.meta.dirname, '../../../..')
let world: TimelinesProcess

beforeAll(async () => {
  world = await startTimelinesProcess(['alice', 'bob'])
  await world.start()
}, 400_000)
afterAll(() => world.close())

test('the bot of the page notes posts that mention walruses, once', async () => {
  const page = readFileSync(join(ROOT, 'docs/TIMELINES.md'), 'utf8')
  const code = /```js\n([\s\S]*?)```/.exec(page)![1]!
  expect(code.trim().split('\n').length).toBeLessThan(25)
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-bot-'))
  writeFileSync(join(folder, 'bot.mjs'), code)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const token = await world.token('echo', 'read:following:*', 'read:custom:*', 'post:custom:echo')
  world.emit('alice', 'app.bsky.graph.follow', { subject: world.didOf('bob') })
  const env = {
    PATH: process.env['PATH'],
    ORIGIN: world.origin(),
    TOKEN: token,
    DID: world.didOf('alice'),
  }
  const bot = spawn(process.execPath, ['bot.mjs'], { cwd: folder, env })
  try {
    const lines = createInterface({ input: bot.stdout })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('listening')
    world.emit('bob', 'app.bsky.feed.post', { text: 'nothing to see' })
    const rkey = world.emit('bob', 'app.bsky.feed.post', { text: 'a walrus' })
    const uri = `at://${world.didOf('bob')}/app.bsky.feed.post/${rkey}`
    expect((await lines.next()).value).toBe(`noted ${uri} as 1`)
    const { body } = await becomes(
      () => world.page('custom:echo', '', token),
      ({ status }) => status === 200,
    )
    expect(body.events.map(({ entity_id, payload }) => [entity_id, payload])).toEqual([
      [uri, { text: 'a walrus' }],
    ])
  } finally {
    bot.kill()
  }
}, 400_000)
