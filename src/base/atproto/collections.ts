// The indexed record collections and the small numbers that represent them on disk. Append only: existing
// databases contain the numbers.

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
  'app.bsky.feed.generator': 12,
  'app.bsky.graph.starterpack': 13,
  'app.bsky.labeler.service': 14,
  'app.bsky.actor.status': 15,
  'app.bsky.graph.verification': 16,
  'app.bsky.notification.declaration': 17,
  'chat.bsky.actor.declaration': 18,
  'com.germnetwork.declaration': 19,
  'app.bsky.graph.referencelistoptout': 20,
  'app.bsky.actor.contentVisibilityDeclaration': 21,
  'site.standard.document': 22,
  'site.standard.publication': 23,
} as const

export type Collection = keyof typeof collectionCodes

/** Collections with few records, which share one table (records.ts). */
export const recordCollections = [
  'app.bsky.feed.generator',
  'app.bsky.graph.starterpack',
  'app.bsky.labeler.service',
  'app.bsky.actor.status',
  'app.bsky.graph.verification',
  'app.bsky.notification.declaration',
  'chat.bsky.actor.declaration',
  'com.germnetwork.declaration',
  'app.bsky.graph.referencelistoptout',
  'app.bsky.actor.contentVisibilityDeclaration',
] as const satisfies readonly Collection[]

export type RecordCollection = (typeof recordCollections)[number]

/** Articles and publications that link cards name (standard.site); only those that a post here names are stored. */
export const associatedCollections = [
  'site.standard.document',
  'site.standard.publication',
] as const satisfies readonly Collection[]

export type AssociatedCollection = (typeof associatedCollections)[number]

export const collections = Object.keys(collectionCodes) as Collection[]

export function isIndexed(collection: string): collection is Collection {
  return Object.hasOwn(collectionCodes, collection)
}
