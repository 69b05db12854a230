// What is known here about a public AppView's page is read some of it a turn, with the same answer.

import { expect, test } from 'vitest'
import { alice, createTwoWorlds, eve } from './two-worlds.ts'

const COUNT = 90
/** At most 24 posts have a part. */
const TURNS = COUNT / 24

test('our word on a page of posts takes as many turns as it needs', async () => {
  let clockMs = 0
  let tickMs = 0
  let turns = 0
  const { here } = await createTwoWorlds(
    (w) => {
      for (let i = 0; i < COUNT; i++) w.post(eve, `post ${i}`)
    },
    { threadMs: () => (clockMs += tickMs), onMemberTime: () => (turns += 1) },
  )
  const ask = async () => {
    turns = 0
    const query = { actor: eve, limit: COUNT }
    const answer = await here.get<Feed>('app.bsky.feed.getAuthorFeed', query, alice)
    return { answer, turns }
  }
  const plain = await ask()
  // As if each look at the clock found a turn over.
  tickMs = 30
  const hurried = await ask()
  tickMs = 0
  expect(hurried.answer).toEqual(plain.answer)
  expect(plain.answer.feed).toHaveLength(COUNT)
  expect(hurried.turns - plain.turns).toBeGreaterThan(TURNS)
})

type Feed = { feed: object[] }
