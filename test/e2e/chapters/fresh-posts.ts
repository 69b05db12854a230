// How soon a post is visible: the PDS's read-after-write closes the gap for its author, and the time until
// others see it goes into the report.

import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { follow, post } from '../support/account.ts'
import { postView, texts, timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

const POSTS = 25

export function freshPostsChapter(world: () => World): void {
  test('one’s own post is visible at once and never twice', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    await post(bob, 'from bob')
    await eventually(async () => {
      expect(texts(await timeline(alice))).toEqual(['from bob'])
    })
    await post(alice, 'to have a record before')
    await eventually(async () => {
      // Without that header, which needs a commit from the stream, the PDS adds no posts.
      const { headers } = await alice.raw('/xrpc/app.bsky.feed.getTimeline')
      expect(headers.get('atproto-repo-rev')).toBeTruthy()
    })
    for (let i = 0; i < 3; i++) {
      const fresh = await post(alice, `fresh ${i}`)
      await eventually(
        async () => {
          const seen = texts(await timeline(alice)).filter((text) => text === `fresh ${i}`)
          expect(seen).toEqual([`fresh ${i}`])
          // Asks Slipstream alone: until this succeeds, the posts seen came from the PDS.
          await postView(bob, fresh).catch(() => {
            throw new NotYet()
          })
        },
        { pollMs: 5, giveUp: (error) => !(error instanceof NotYet) },
      )
    }
    await world().stands('own posts', async () => {
      expect(texts(await timeline(alice))).toEqual([
        ...['fresh 2', 'fresh 1', 'fresh 0'],
        ...['to have a record before', 'from bob'],
      ])
    })
  })

  test(`a follower sees ${POSTS} posts, and their delay is reported`, async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    await timeline(alice)
    for (let i = 0; i < POSTS; i++) {
      const begin = performance.now()
      const { uri } = await post(bob, `timed ${i}`)
      const written = performance.now()
      const isThere = async () => {
        expect((await timeline(alice)).map((item) => item.post.uri)).toContain(uri)
      }
      await eventually(isThere, { pollMs: 2 })
      world().latencies.add('client writes → a follower sees it', performance.now() - begin)
      world().latencies.add('  of which the PDS’s own answer', written - begin)
    }
    await world().stands('timed posts', async () => {
      expect(await timeline(alice)).toHaveLength(POSTS)
    })
  })

  test('the same after the PDS has been idle', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    for (let i = 0; i < 4; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      const begin = performance.now()
      const { uri } = await post(bob, `after a rest ${i}`)
      const isThere = async () => {
        expect((await timeline(alice)).map((item) => item.post.uri)).toContain(uri)
      }
      await eventually(isThere, { pollMs: 2 })
      world().latencies.add('the same, PDS idle before', performance.now() - begin)
    }
  })
}

class NotYet extends Error {}
