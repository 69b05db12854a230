// An account with follows from before Slipstream first saw it, and authors with posts from before.

import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type Account, follow, post, put, reply } from '../support/account.ts'
import { knownFollowers, profile, texts, timeline } from '../support/reading.ts'
import type { World } from '../support/world.ts'

export type Early = { newcomer: Account; friends: Account[]; stranger: Account; texts: string[] }

const FRIENDS = 3
const POSTS_EACH = 4

/** Runs before Slipstream and the Jetstream are started. */
export async function liveBefore(person: World['person']): Promise<Early> {
  const newcomer = await person('newcomer')
  const stranger = await person('stranger')
  const requested = await post(stranger, 'a question of long ago')
  const friends: Account[] = []
  const written: string[] = []
  for (let i = 0; i < FRIENDS; i++) {
    const friend = await person('friend')
    friends.push(friend)
    await put(friend, 'app.bsky.actor.profile', 'self', { displayName: `Friend ${i}` })
    await follow(newcomer, friend)
    await follow(friend, stranger)
    for (let j = 0; j < POSTS_EACH; j++) {
      const text = `of friend ${i}, number ${j}`
      await post(friend, text)
      written.push(text)
    }
  }
  await reply(friends[0]!, requested, requested, 'an answer of long ago')
  return { newcomer, friends, stranger, texts: [...written, 'an answer of long ago'] }
}

export function newcomerChapter(world: () => World, early: () => Early): void {
  test('a newcomer’s first timeline is full within seconds', async () => {
    const { newcomer, friends, stranger } = early()
    const begin = performance.now()
    const first = await timeline(newcomer)
    world().latencies.add('newcomer’s first answer', performance.now() - begin)
    console.info(`The newcomer’s very first answer had ${first.length} of ${early().texts.length}.`)
    await eventually(async () => {
      expect(texts(await timeline(newcomer))).toEqual(early().texts.toReversed())
    })
    world().latencies.add('newcomer’s timeline complete', performance.now() - begin)
    await world().stands('the newcomer’s timeline', async () => {
      const feed = await timeline(newcomer)
      expect(texts(feed)).toEqual(early().texts.toReversed())
      expect(feed[0]?.reply?.root).toMatchObject({ record: { text: 'a question of long ago' } })
      expect(feed[0]?.post.author.displayName).toBe('Friend 0')
      expect(feed[0]?.post.author.handle).toBe(friends[0]?.handle)
    })
    await world().stands('what the newcomer knows of a stranger', async () => {
      const { followers } = await knownFollowers(newcomer, stranger)
      expect(new Set(followers.map(({ did }) => did))).toEqual(new Set(friends.map((f) => f.did)))
      expect((await profile(newcomer, stranger)).viewer?.knownFollowers?.count).toBe(FRIENDS)
    })
  })
}
