// The one feed that clients ask for whatever their user chose. At the end of a short Following page the official
// client goes on with Bluesky's Discover, in the same breath, and shows neither if that fails; from then on it
// asks Discover's newest item what is new, and offers what it does not know yet. The PDS on the way first asks
// for the generator's record. So this feed alone never fails: while its record or its generator can't be had, the
// record is the one of 2023, and the feed what others brought to Following, which the client knows how to sort.

import type { Reader } from '../../answers/hydrate/reader.ts'
import { type FeedItemRules, isBlockedOrMuted } from '../../answers/views/rules.ts'
import type { Call } from './call.ts'
import type { Needs } from './define.ts'
import { fillPage } from './fill-page.ts'

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

/** Own items are left out, and so that a peek at one item finds it below many of them, more are read. */
const FEWEST_READ = 30

export function isDiscover(uri: string): boolean {
  return uri === URI
}

type Parts = Needs<'firstPage' | 'viewCache' | 'timeline' | 'wholeItems'>

/**
 * The newest of the viewer's timeline without their own items, as byte texts; no page follows. Of what stands
 * on the page above the client knows that it does.
 */
export function inPlaceOfDiscover(
  { firstPage, viewCache, timeline, wholeItems }: Parts,
  { viewer, params, reader }: Call<{ limit: number; cursor?: string }>,
): string[] {
  if (!viewer || params.cursor !== undefined) return []
  const isShown = (rules: FeedItemRules, { originator }: { originator: number }) =>
    originator !== viewer.uid && !isBlockedOrMuted(rules)
  const make = (items: readonly number[], by: Reader) => viewCache.items(items, by, { isShown })
  const isNewcomer = firstPage.isNewcomer(viewer.did)
  const read = (cursor: string | undefined, limit: number) => {
    const skeleton = timeline({ viewer: viewer.uid, limit, cursor, since: undefined })
    const { items } = skeleton
    const texts = make(isNewcomer ? wholeItems.among(items, reader, make) : items, reader)
    return { ...skeleton, items: texts.filter((text) => text !== undefined) }
  }
  const limit = Math.max(params.limit, FEWEST_READ)
  return fillPage({ limit, cursor: undefined }, read).items.slice(0, params.limit)
}
