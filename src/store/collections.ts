// The record collections that are indexed, and the small numbers that stand for them on disk.
// Append only: the numbers are in people's databases.

export const collectionCodes = {
  'app.bsky.actor.profile': 1,
  'app.bsky.feed.post': 2,
  'app.bsky.feed.repost': 3,
  'app.bsky.feed.like': 4,
  'app.bsky.feed.threadgate': 5,
  'app.bsky.feed.postgate': 6,
  'app.bsky.graph.follow': 7,
  'app.bsky.graph.block': 8,
  'app.bsky.graph.list': 9,
  'app.bsky.graph.listitem': 10,
  'app.bsky.graph.listblock': 11,
} as const

export type Collection = keyof typeof collectionCodes

export const collections = Object.keys(collectionCodes) as Collection[]

export function isIndexed(collection: string): collection is Collection {
  return Object.hasOwn(collectionCodes, collection)
}
