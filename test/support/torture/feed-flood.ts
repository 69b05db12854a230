// Members open feeds of a malicious generator, each with its own trick (hostile-feeds.ts). The generator's
// honest feed is read before and after.

import { until } from '../eventually.ts'
import { type Dependencies, hadEffect } from './fault.ts'
import { type FeedTrick, feedTricks } from './hostile-feeds.ts'
import { inTurns } from './in-turns.ts'

const POST = 'app.bsky.feed.post'
const FEED = 'app.bsky.feed.getFeed'
const SKELETON = 'app.bsky.feed.getFeedSkeleton'
const TIMES = 4
const FEED_TIMEOUT_MS = 40_000

export async function floodFeeds(parts: Dependencies): Promise<void> {
  const { world, subject } = parts
  const { feeds } = world.strangers
  const { did: aud, uriOf } = world.strangers.mintFeeds()
  const writer = world.members.find(({ collections }) => collections.get(POST)?.size)
  const post = writer && [...writer.collections.get(POST)!.values()].at(-1)!
  hadEffect('a member has a post to show', post !== undefined)
  feeds.show(`at://${writer!.did}/${POST}/${post!.rkey}`)
  const before = feedTricks.map((trick) => feeds.requested(trick))

  async function ask(trick: FeedTrick, iss: string) {
    const token = await world.servers.serviceJwt({ iss, aud, lxm: SKELETON })
    const query = new URLSearchParams({ feed: uriOf(trick), limit: '100' })
    return subject.call(FEED, `?${query}`, { authorization: `Bearer ${token}` })
  }
  const isHonestPresented = async () => {
    // A block may hide the post from other members.
    const { status, bytes } = await ask('honest', writer!.did)
    return status === 200 && bytes.includes(post!.rkey)
  }

  await until(isHonestPresented, { what: 'an honest feed came', withinMs: FEED_TIMEOUT_MS })
  await inTurns(TIMES * feedTricks.length, async (i) => {
    await ask(feedTricks[i % feedTricks.length]!, world.members[i % world.members.length]!.did)
  })
  await until(isHonestPresented, { what: 'an honest feed came again', withinMs: FEED_TIMEOUT_MS })
  feedTricks.forEach((trick, i) => {
    hadEffect(`a feed was asked that is ${trick}`, feeds.requested(trick) > before[i]!)
  })
}
