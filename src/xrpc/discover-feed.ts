// The one feed that clients ask for whatever their user chose: at the end of a short Following page the
// official client goes on with Bluesky's Discover, in the same breath, and shows neither if that fails.
// The PDS on the way first asks for the generator's record. So this feed alone never fails: while its
// record or its generator can't be had, it stands here as it has stood since 2023, and is empty.

export const DISCOVER = {
  did: 'did:plc:z72i7hdynmk6r22z27h6tvur',
  collection: 'app.bsky.feed.generator',
  rkey: 'whats-hot',
  value: {
    $type: 'app.bsky.feed.generator',
    did: 'did:web:discover.bsky.app',
    displayName: 'Discover',
    createdAt: '2023-05-19T23:19:21.077Z',
  },
} as const

const URI = `at://${DISCOVER.did}/${DISCOVER.collection}/${DISCOVER.rkey}`

export function isDiscover(uri: string): boolean {
  return uri === URI
}
