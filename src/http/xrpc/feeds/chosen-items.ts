// The choices of a feed as items of ours. Missing posts are fetched while the client waits, briefly, and left
// out if they don't arrive.

import type { AppBskyFeedDefs } from '@atproto/api'
import type { ItemFacts } from '../../../answers/cache/cached-view.ts'
import type { Reader } from '../../../answers/hydrate/reader.ts'
import { withFields } from '../../../answers/views/json/ready-json.ts'
import type { FeedItemRules } from '../../../answers/views/rules.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { inParts } from '../../../base/util/turn.ts'
import type { ItemByUri } from '../../../data/store/read/timelines/items-by-uri.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import { type AnswerBudget, createAnswerBudget } from '../paging/answer-budget.ts'
import { notBlockedOrMuted } from '../paging/present.ts'
import { whenRequested } from '../waiting/when-requested.ts'
import type { FeedSkeleton } from './feed-skeleton.ts'

type Chosen = FeedSkeleton['feed'][number]

const REPOST: AppBskyFeedDefs.SkeletonReasonRepost['$type'] =
  'app.bsky.feed.defs#skeletonReasonRepost'
const PIN: AppBskyFeedDefs.SkeletonReasonPin['$type'] = 'app.bsky.feed.defs#skeletonReasonPin'
/** The wait for missing posts if at least half a page is at hand; LONG_WAIT_MS otherwise. */
const MAX_WAIT_MS = 1_000
const LONG_WAIT_MS = 2_500

type Found = { items: ItemByUri[]; elsewhere: ReadonlyMap<string, object> }

/**
 * In the order of `chosen`; posts found nowhere have the item 0. Asks for missing posts at their
 * PDSs and elsewhere concurrently, and stops waiting once they are found elsewhere.
 */
export async function findItems(
  app: AppContext,
  chosen: readonly Chosen[],
  call: Call,
): Promise<Found> {
  const { itemsByUri, fetchRequests, waits, underWay } = app
  const named = chosen.map(({ post, reason }) => ({ post, repost: repostOf(reason) }))
  const found = itemsByUri(named)
  const unknown = named.filter((_, i) => found[i]!.isUnknown)
  const uris = unknown.map(({ post }) => post)
  // A repost that is not indexed is not shown, so its post is not needed.
  const single = unknown.filter(({ repost }) => repost === undefined).map(({ post }) => post)
  const theirs = app.elsewhere.posts(app, call, single)
  if (unknown.length === 0 || !call.viewer) return { items: found, elsewhere: await theirs }
  const requested = fetchRequests.ask(call.viewer, {
    uris,
    dids: [...new Set(uris.map((uri) => uri.split('/', 3)[2]!))],
  })
  const keys = uris.map(parseRecordUri).filter((key) => key !== undefined)
  const haveArrived = areKnown(app, unknown)
  let isAnswered = false
  void theirs.then((views) => {
    isAnswered = views.size > 0
  })
  await waits.awaited(uris, {
    isThere: () => isAnswered || haveArrived(),
    isOver: whenRequested(requested, () => underWay.records(keys)),
    maxWaitMs: unknown.length * 2 > named.length ? LONG_WAIT_MS : MAX_WAIT_MS,
    signal: call.signal,
  })
  return { items: itemsByUri(named), elsewhere: await theirs }
}

/** As many as are read to find out that something is still missing. */
const LOOKED_AT = 8

/** @returns a function that tells whether nothing is unknown any more; what has arrived is not read again */
function areKnown(
  { itemsByUri }: Needs<'itemsByUri'>,
  unknown: readonly { post: string; repost: string | undefined }[],
): () => boolean {
  let left = unknown
  return () => {
    while (left.length > 0) {
      const some = left.slice(0, LOOKED_AT)
      const found = itemsByUri(some)
      const missing = some.filter((_, i) => found[i]!.isUnknown)
      left = [...missing, ...left.slice(LOOKED_AT)]
      if (missing.length > 0) return false
    }
    return true
  }
}

function repostOf(reason: Chosen['reason']): string | undefined {
  if (!reason || reason.$type !== REPOST || !('repost' in reason)) return undefined
  return String(reason.repost)
}

export type Offered = {
  feed: readonly Chosen[]
  items: readonly ItemByUri[]
  reqId: string | undefined
  elsewhere: ReadonlyMap<string, object>
}

type Presenting = {
  isShown?: (rules: FeedItemRules, facts: ItemFacts) => boolean
  /** What the rest of the same answer leaves. */
  room?: AnswerBudget
}

/** In the order of the choices, some at a time; undefined for those that are not shown. */
export function presentEach(
  { viewCache }: Needs<'viewCache'>,
  reader: Reader,
  page: Offered,
  { isShown = notBlockedOrMuted, room = createAnswerBudget(reader) }: Presenting = {},
): Generator<void, readonly (object | undefined)[]> {
  const fields = ({ feedContext }: Chosen) => ({ feedContext, reqId: page.reqId })
  function present(some: readonly { choice: Chosen; item: number }[]): (object | undefined)[] {
    const visible = some.filter(({ item }) => item !== 0).map(({ item }) => item)
    const ready = new Map(
      viewCache
        .items(visible, reader, { isVisible: isShown })
        .map((view, i) => [visible[i]!, view]),
    )
    return some.map(({ choice, item }) => {
      const theirs = item === 0 ? page.elsewhere.get(choice.post) : undefined
      if (theirs) return { post: theirs, ...fields(choice) }
      const pins = choice.reason?.$type === PIN && item !== 0
      const view = pins
        ? viewCache.items([item], reader, { isVisible: isShown, pinned: item })[0]
        : ready.get(item)
      return view && withFields(view, fields(choice))
    })
  }
  const chosen = page.feed.map((choice, i) => ({ choice, item: page.items[i]!.item }))
  return inParts(chosen, (some) => room.present(some, present))
}
