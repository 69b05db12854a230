// What is not here yet never reads as nonexistent: a member who opens what a stranger made sees it at first look, or
// is told to ask again.

import { afterEach, describe, expect, test } from 'vitest'
import { didOf } from '../../../support/records.ts'
import { makeAll, testFirstLook } from '../../../support/strangers-tests.ts'
import { type StrangersWorld, startStrangersWorld } from '../../../support/strangers-world.ts'

const POST = 'app.bsky.feed.post'
const alice = didOf('alice')

let world: StrangersWorld | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

async function start() {
  world = await startStrangersWorld()
  return world
}

describe('a stranger', () => testFirstLook(start))

describe('at the first look', () => {
  test('what strangers made is shown where a followed account shares it', async () => {
    const { w, person } = await start()
    const [eve, bob] = [await person('eve'), didOf('bob')]
    w.follow(alice, bob)
    w.profile(bob, { displayName: 'bob' })
    w.handle(bob, 'bob.example.org')
    const made = makeAll(eve)
    for (const record of Object.values(made)) {
      w.post(bob, { text: 'look', embed: { $type: 'app.bsky.embed.record', record } })
    }
    w.db.prepare("DELETE FROM jobs WHERE kind = 'feed'").run()
    type Presented = { feed: { post: { embed: { record: { $type: string } } } }[] }
    const { feed } = await w.get<Presented>('app.bsky.feed.getTimeline', {}, alice)
    expect(feed.map(({ post }) => post.embed.record.$type.split('#')[1])).toEqual([
      'labelerView',
      'starterPackViewBasic',
      'generatorView',
      'listView',
      'viewRecord',
    ])
  })

  test('a post that nobody has is not found once, and not waited for again', async () => {
    const { w, pds, person } = await start()
    const eve = await person('eve')
    const uri = `at://${eve.did}/${POST}/3kabcdefghi2a`
    const ask = () => w.ask('app.bsky.feed.getPostThread', { uri }, alice)
    expect(await ask()).toMatchObject({ status: 400, body: { error: 'NotFound' } })
    let calls = 0
    pds.onRequest(() => void calls++)
    for (let i = 0; i < 3; i++) expect((await ask()).status).toBe(400)
    expect(calls).toBe(0)
  })

  test('a post whose PDS fails is to be asked for again', async () => {
    const { w, pds, person } = await start()
    const eve = await person('eve')
    const { post } = makeAll(eve)
    pds.misbehave({ method: 'getRecord', how: { status: 500 } })
    const requested = await w.ask('app.bsky.feed.getPostThread', { uri: post.uri }, alice)
    expect(requested).toMatchObject({ status: 503, body: { error: 'NotHereYet' } })
  })
})
