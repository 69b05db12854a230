// The answers Slipstream must give, computed in the simplest way from the double's own record of what it
// sent: folds the events into the remaining records, then scans all of them for each question. Shares no code
// with Slipstream.

import type { CommitEmission } from '../../support/jetstream-double/emission.ts'
import type { LogEntry } from '../../support/jetstream-double/event-log.ts'

type Left = { did: string; collection: string; uri: string; cid: string; record: AnyRecord }
type AnyRecord = {
  createdAt: string
  subject?: string | { uri: string }
  reply?: { parent: { uri: string } }
  embed?: { record: { uri: string } }
}

export type Counts = {
  likeCount: number
  repostCount: number
  replyCount: number
  quoteCount: number
}

export type Model = {
  /** Every post ever written; deleted ones have no counts. */
  posts: Map<string, Counts | undefined>
  /** The follows of an account, as DIDs. */
  follows: (did: string) => string[]
  followers: (did: string) => string[]
  /** Newest first; a repost as `uri of the post ← uri of the repost`. */
  authorFeed: (did: string) => string[]
  timeline: (did: string) => string[]
}

export function foldEntries(entries: readonly LogEntry[]): Model {
  const left = new Map<string, Left>()
  const everPosted = new Set<string>()
  for (const { event } of entries) {
    const { did, operation, collection, rkey, record, cid } = event as CommitEmission
    const uri = `at://${did}/${collection}/${rkey}`
    if (operation === 'delete') left.delete(uri)
    else left.set(uri, { did, collection, uri, cid: cid!, record: record as AnyRecord })
    if (collection === 'app.bsky.feed.post') everPosted.add(uri)
  }
  const all = [...left.values()]
  const of = (collection: string) => all.filter((remaining) => remaining.collection === collection)
  const follows = of('app.bsky.graph.follow')
  const followed = (did: string) =>
    follows.filter((follow) => follow.did === did).map(({ record }) => record.subject as string)
  const items = feedItems(of('app.bsky.feed.post'), of('app.bsky.feed.repost'), left)
  return {
    posts: countPosts(all, everPosted),
    follows: followed,
    followers: (did) =>
      follows.filter((follow) => follow.record.subject === did).map((follow) => follow.did),
    authorFeed: (did) => items.filter((item) => item.did === did).map(({ shown: text }) => text),
    timeline(did) {
      const visible = new Set([did, ...followed(did)])
      return items.filter((item) => visible.has(item.did)).map((item) => item.shown)
    },
  }
}

function countPosts(all: Left[], everPosted: Set<string>): Model['posts'] {
  const zero = () => ({ likeCount: 0, repostCount: 0, replyCount: 0, quoteCount: 0 })
  const posts: Model['posts'] = new Map([...everPosted].map((uri) => [uri, undefined]))
  for (const { uri, collection } of all) {
    if (collection === 'app.bsky.feed.post') posts.set(uri, zero())
  }
  const add = (uri: string | undefined, name: keyof Counts) => {
    const counts = posts.get(uri ?? '')
    if (counts) counts[name]++
  }
  for (const { collection, record } of all) {
    const subject = typeof record.subject === 'object' ? record.subject.uri : undefined
    if (collection === 'app.bsky.feed.like') add(subject, 'likeCount')
    if (collection === 'app.bsky.feed.repost') add(subject, 'repostCount')
    add(record.reply?.parent.uri, 'replyCount')
    add(record.embed?.record.uri, 'quoteCount')
  }
  return posts
}

/** Posts, and reposts of posts that still exist, newest first. */
function feedItems(posts: Left[], reposts: Left[], left: Map<string, Left>) {
  const items = [
    ...posts.map((post) => ({ ...post, shown: post.uri })),
    ...reposts
      .map((repost) => ({ ...repost, subject: (repost.record.subject as { uri: string }).uri }))
      .filter(({ subject }) => left.has(subject))
      .map((item) => ({ ...item, shown: `${item.subject} ← ${item.uri}` })),
  ]
  return items.sort((a, b) => (a.record.createdAt < b.record.createdAt ? 1 : -1))
}
