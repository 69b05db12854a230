// The one feed that clients request regardless of their user's choices. At the end of a short Following page
// the official client continues with Bluesky's Discover at once, and shows neither if that fails; later it polls
// its newest item and offers it if new. The PDS in between first requests the generator's record. So this feed never
// fails: without its record or generator, the record is the one of 2023, and the feed holds others' items from
// Following, which the client dedupes: first those that arrived too late for the pages above.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import type { ReadyJson } from '../../../answers/views/json/ready-json.ts'
import {
  type FeedItemAccounts,
  type FeedItemRules,
  isBlockedOrMuted,
} from '../../../answers/views/rules.ts'
import { inParts } from '../../../base/util/turn.ts'
import { notRecommendedTo } from '../accounts/not-recommended.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import { filledPage } from '../paging/paged-method.ts'

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

export const DISCOVER_URI = `at://${DISCOVER.did}/${DISCOVER.collection}/${DISCOVER.rkey}`

/**
 * Reads more items than requested, since own items are left out: a peek at one item must find it
 * below many of those.
 */
const FEWEST_READ = 30

export function isDiscover(uri: string): boolean {
  return uri === DISCOVER_URI
}

/** Of items among which few may be wanted. */
const MOST_READ = 100

type Dependencies = Needs<
  | 'firstPage'
  | 'presentedWhileFilling'
  | 'viewCache'
  | 'timeline'
  | 'completeItems'
  | 'db'
  | 'graph'
>

/**
 * The newest items of the viewer's timeline without their own, and without what others repost of
 * strangers who do not want to be recommended; there is no next page. The client recognises items
 * that the page above already shows, so those that none did come first.
 */
export function* insteadOfDiscover(
  { firstPage, presentedWhileFilling, viewCache, timeline, completeItems, db, graph }: Dependencies,
  { viewer, params, reader }: Call<{ limit: number; cursor?: string }>,
): Generator<void, readonly ReadyJson[]> {
  if (!viewer || params.cursor !== undefined) return []
  const isVisible = (rules: FeedItemRules, { author, originator, isRepost }: FeedItemAccounts) =>
    originator !== viewer.uid &&
    !isBlockedOrMuted(rules) &&
    !(isRepost && notRecommendedTo({ db, graph }, viewer.uid, [author]).size > 0)
  const make = (items: readonly number[], by: Reader) => viewCache.items(items, by, { isVisible })
  const read = (isWanted: (item: number) => boolean, atOnce: number) => {
    const isNewcomer = firstPage.isNewcomer(viewer.did)
    return function* (cursor: string | undefined, limit: number) {
      const range = { limit: Math.max(limit, atOnce), cursor, since: undefined }
      const skeleton = yield* timeline({ viewer: viewer.uid, ...range })
      const items = skeleton.items.filter(isWanted)
      const complete = isNewcomer ? yield* completeItems.among(items, reader, make) : items
      const views = yield* inParts(complete, (some) => make(some, reader))
      return { ...skeleton, items: views.filter((view) => view !== undefined) }
    }
  }
  function* filled(limit: number, from: ReturnType<typeof read>) {
    if (limit === 0) return []
    const { items } = yield* filledPage({ limit, cursor: undefined }, from)
    return items.slice(0, limit)
  }
  const visible = presentedWhileFilling.to(viewer.uid)
  if (!visible) {
    const all = read(() => true, FEWEST_READ)
    return yield* filled(params.limit, all)
  }
  const unseen = read((item) => !visible.has(item), MOST_READ)
  const late = yield* filled(params.limit, unseen)
  const others = read((item) => visible.has(item), FEWEST_READ)
  return [...late, ...(yield* filled(params.limit - late.length, others))]
}
