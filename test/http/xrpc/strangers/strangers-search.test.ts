// A search of one account's posts, whose account no member follows: what its server has is fetched first, as for
// its page, and an empty answer is given only if it says something.

import { afterEach, describe, expect, test } from 'vitest'
import { didOf } from '../../../support/records.ts'
import { searchable } from '../../../support/searching.ts'
import {
  type StrangersWorld,
  startStrangersWorld,
  write,
} from '../../../support/strangers-world.ts'

const POST = 'app.bsky.feed.post'
const V1 = 'app.bsky.feed.searchPosts'
const V2 = 'app.bsky.feed.searchPostsV2'
const alice = didOf('alice')

type Found = { posts: { uri: string }[]; error?: string }

let world: StrangersWorld
let indexing: NodeJS.Timeout
afterEach(() => {
  clearInterval(indexing)
  return world.stop()
})

/** Posts are indexed a while after they arrive. */
async function start(): Promise<void> {
  world = await startStrangersWorld()
  indexing = setInterval(() => searchable(world.w), 300)
}

/** The ways to name the author. */
const ways: [string, string, (author: string) => Record<string, string | string[]>][] = [
  ['the parameter', V1, (author) => ({ q: 'apple', author })],
  ['the words', V1, (author) => ({ q: `apple from:${author}` })],
  ['the filter of the second version', V2, (author) => ({ query: 'apple', authors: [author] })],
]

describe.each(ways)('named by %s', (_, nsid, paramsOf) => {
  const search = (author: string, viewer?: string) =>
    world.w.ask<Found>(nsid, paramsOf(author), viewer)

  test('a stranger’s posts are found', async () => {
    await start()
    const eve = await world.person('eve')
    write(eve, POST, { text: 'a pear' })
    const { uri } = write(eve, POST, { text: 'an apple' })
    const byDid = await search(eve.did, alice)
    expect(byDid.body.posts.map((post) => post.uri)).toEqual([uri])
    const { body } = await search('eve.example.com', alice)
    expect(body.posts.map((post) => post.uri)).toEqual([uri])
    expect(world.listings).toEqual([eve.did])
  })

  test('nothing is said while its server fails, nor to visitors', async () => {
    await start()
    const eve = await world.person('eve')
    write(eve, POST, { text: 'an apple' })
    world.pds.misbehave({ how: { status: 500 } })
    expect((await search(eve.did)).status).toBe(503)
    expect((await search(eve.did, alice)).status).toBe(503)
  })

  test('a read account without such a post, and no account at all, have none', async () => {
    await start()
    const eve = await world.person('eve')
    write(eve, POST, { text: 'a pear' })
    for (const author of [eve.did, didOf('nobody')]) {
      expect(await search(author, alice)).toMatchObject({ status: 200, body: { posts: [] } })
    }
  })

  test('posts of accounts that are kept anyway are not fetched', async () => {
    await start()
    const bob = await world.person('bob')
    write(bob, POST, { text: 'an apple' })
    world.w.follow(alice, bob.did)
    world.w.db.prepare('DELETE FROM jobs').run()
    expect(await search(bob.did, alice)).toMatchObject({ status: 200, body: { posts: [] } })
    expect(world.listings).toEqual([])
  })
})
