// A public AppView that fails in any way is no worse than none: a member who opens what a stranger made sees it at
// first look.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Misbehaviour, startAppviewDouble } from '../../support/appview-double.ts'
import { didOf } from '../../support/records.ts'
import { testFirstLook } from '../../support/strangers-tests.ts'
import { startStrangersWorld, write } from '../../support/strangers-world.ts'
import { asking } from './asking.ts'

const FILE = join(import.meta.dirname, '../../../../shared/data/cases/public-reports.json')
const hasFile = existsSync(FILE)
if (!hasFile) console.warn(`SKIPPED: ${FILE} is not there`)

const POST = 'app.bsky.feed.post'
const LIST = 'app.bsky.graph.list'
const CURATED = 'app.bsky.graph.defs#curatelist'
const alice = didOf('alice')

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** How a configured AppView answers. */
const FAILURES: [string, Misbehaviour | 'away'][] = [
  ['answers 403', { status: 403, headers: { 'content-type': 'text/html' } }],
  ['answers 503', { status: 503 }],
  ['refuses the account', { status: 400 }],
  ['refuses connections', 'away'],
  ['hangs up', 'hang-up'],
  ['is late', 'hang'],
  ['answers nothing', { text: '' }],
  [
    'answers 429',
    { status: 429, headers: { 'retry-after': new Date(Date.now() + 60_000).toUTCString() } },
  ],
  ['leads to itself', { redirect: '/' }],
  [
    'gives nulls',
    { text: '{"feed":null,"posts":null,"profiles":[null],"follows":null,"cursor":null}' },
  ],
  [
    'knows nobody and says so',
    {
      text: '{"feed":[],"posts":[],"profiles":[],"lists":[],"items":[],"feeds":[],"starterPacks":[],"views":[],"follows":[],"followers":[],"likes":[]}',
    },
  ],
]

async function start(failure: Misbehaviour | 'away') {
  const double = await startAppviewDouble()
  ends.push(() => double.close())
  if (failure === 'away') await double.close()
  else double.misbehave(failure)
  const world = await startStrangersWorld({ elsewhere: asking(double, { maxWaitMs: 300 }) })
  ends.push(() => world.stop())
  return world
}

describe.each(FAILURES)('with an AppView that %s', (_, failure) => {
  testFirstLook(() => start(failure))
})

test.skipIf(!hasFile)(
  'the answer of the public report is one of them',
  async () => {
    const { 'fallback-fails': given } = JSON.parse(readFileSync(FILE, 'utf8')) as Record<
      string,
      { answer: unknown }
    >
    await play(String(given!.answer))
  },
  120_000,
)

async function play(answer: string): Promise<void> {
  const double = await startAppviewDouble()
  ends.push(() => double.close())
  const ways = [
    { text: answer },
    { status: 403 },
    { status: 503 },
    { status: 400 },
    'away',
  ] as const
  for (const [i, how] of ways.entries()) {
    if (how === 'away') await double.close()
    else double.misbehave(how)
    const world = await startStrangersWorld({ elsewhere: asking(double, { maxWaitMs: 300 }) })
    ends.push(() => world.stop())
    const eve = await world.person(`eve${i}`)
    const post = write(eve, POST, { text: 'hello' })
    const list = write(eve, LIST, { name: 'people', purpose: CURATED })
    write(eve, 'app.bsky.graph.listitem', { list: list.uri, subject: eve.did })
    const feed = await world.w.ask('app.bsky.feed.getAuthorFeed', { actor: eve.did }, alice)
    expect(feed).toMatchObject({ status: 200, body: { feed: [{ post: { uri: post.uri } }] } })
    const visible = await world.w.ask('app.bsky.graph.getList', { list: list.uri }, alice)
    expect(visible).toMatchObject({ status: 200, body: { items: [{ subject: {} }] } })
  }
}
