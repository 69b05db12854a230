// Traffic for a served world: half of it by strangers, which a community drops, and half by the world's own
// popular accounts, which is indexed, counted and fanned out. Its clock goes from the world's last event to
// now, as if the server had been away: records of one moment would make each page look up what orders them.

import type { Emission } from '../../test/support/jetstream-double/emission.ts'
import { createSyntheticEvents } from '../../test/support/jetstream-double/synthetic-events.ts'
import { createRandom } from '../../test/support/random.ts'
import { tidAt } from '../../test/support/records.ts'
import { postText } from '../../test/support/simulated-network/words.ts'
import { quickCid } from './quick-cid.ts'
import type { SocialWorld } from './social-world.ts'

const REMEMBERED = 1_000

export function* streamBeside(world: SocialWorld, count: number): Generator<Emission> {
  const { popular, endMs: startMs } = world
  world.endMs = Date.now()
  const stepMs = (world.endMs - startMs) / count
  // Their times are the stream's: none may lie before the server's connection.
  const strangers = createSyntheticEvents(3, Date.now() * 1000)
  const random = createRandom(9)
  const posts: { uri: string; cid: string }[] = []
  for (let i = 0; i < count; i++) {
    if (i % 2 === 0) {
      yield strangers.next()
      continue
    }
    const did = random.pick(popular)
    const atMs = startMs + i * stepMs
    const createdAt = new Date(atMs).toISOString()
    const isPost = posts.length === 0 || random.chance(0.2)
    const collection = isPost ? 'app.bsky.feed.post' : 'app.bsky.feed.like'
    const rkey = tidAt(Math.floor(atMs * 1000))
    const record = isPost
      ? { $type: collection, text: postText(random), langs: ['en'], createdAt }
      : { $type: collection, subject: random.pick(posts), createdAt }
    const cid = quickCid(did, rkey)
    if (isPost) {
      const made = { uri: `at://${did}/${collection}/${rkey}`, cid }
      posts[posts.length < REMEMBERED ? posts.length : random.below(REMEMBERED)] = made
    }
    yield { did, operation: 'create', collection, rkey, cid, record }
  }
}
