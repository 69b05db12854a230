// Random networks: Alice's view of strangers from elsewhere equals the public view there, minus the records
// that a naive model of her blocks and mutes removes, and with her own acts.

import { expect, test } from 'vitest'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import type { RecordId } from '../../support/world.ts'
import { alice, bob, createTwoWorlds, fans, mallory, moe, people } from './two-worlds.ts'

type View = { did: string; viewer?: { blocking?: string; muted?: boolean; following?: string } }
type Post = { uri: string; author: View; viewer?: { like?: string } }
type Item = { post: Post; reason?: { by: View } }

test('strangers are shown by her own rules, for every act', async () => {
  const random = createRandom(testSeed('elsewhere'))
  const posts: { did: string; id: RecordId }[] = []
  const liked = new Set<string>()
  const blocked = new Set([mallory])
  const { here, public: there } = await createTwoWorlds((w) => {
    for (const fan of fans) {
      if (!random.chance(0.15)) continue
      w.block(alice, fan)
      blocked.add(fan)
    }
    for (let i = 0; i < 250; i++) {
      const did = random.pick(people)
      const to = posts.length > 0 ? random.pick(posts).id : undefined
      const act = random.below(5)
      if (!to || act === 0) posts.push({ did, id: w.post(did, `post ${i}`) })
      else if (act === 1) posts.push({ did, id: w.post(did, { reply: { parent: to, root: to } }) })
      else if (act === 2) w.repost(did, to)
      else if (act === 3) posts.push({ did, id: w.post(did, { quote: to }) })
      else {
        w.like(did, to)
        if (did === alice) liked.add(to.uri)
      }
    }
  })
  const strangers = people.filter((did) => did !== alice && did !== bob && !blocked.has(did))
  let seen = 0
  for (const actor of strangers) {
    const query = { actor, limit: 100, filter: 'posts_with_replies' }
    const all = await there<{ feed: Item[] }>('app.bsky.feed.getAuthorFeed', query)
    const { feed } = await here.get<{ feed: Item[] }>('app.bsky.feed.getAuthorFeed', query, alice)
    const visible = all.feed.filter(
      ({ post: { author } }) => !blocked.has(author.did) && (author.did !== moe || actor === moe),
    )
    expect(feed.map(keyOf)).toEqual(visible.map(keyOf))
    seen += feed.length
    for (const { post } of feed) {
      expect(post.viewer?.like !== undefined).toBe(liked.has(post.uri))
      expect(post.author.viewer?.muted).toBe(post.author.did === moe)
      expect(post.author.viewer?.following !== undefined).toBe(post.author.did === bob)
    }
    // The grandparent's author is named as in the reference; nothing else of a blocked account is
    // shown.
    const text = JSON.stringify(feed, (name, value) =>
      name === 'grandparentAuthor' ? undefined : value,
    )
    for (const name of blocked) expect(text).not.toContain(`"did":"${name}","handle"`)
  }
  expect(seen).toBeGreaterThan(30)
  for (const { did, id } of posts.filter((post) => strangers.includes(post.did)).slice(0, 20)) {
    const all = await there<{ likes: { actor: View }[] }>('app.bsky.feed.getLikes', { uri: id.uri })
    const { likes } = await here.get<typeof all>('app.bsky.feed.getLikes', { uri: id.uri }, alice)
    const visible = all.likes.filter(({ actor }) => !blocked.has(actor.did))
    expect(
      likes.map(({ actor }) => actor.did),
      did,
    ).toEqual(visible.map(({ actor }) => actor.did))
  }
})

function keyOf({ post, reason }: Item): string {
  return `${post.uri} ${reason?.by?.did ?? ''}`
}
