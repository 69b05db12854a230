// app.bsky.feed.getFeed: the choices of a feed generator, shown from our index. The caller's token is meant
// for the generator and forwarded to it, unless it is addressed to us. Missing posts are fetched while the
// client waits, briefly, and left out if they don't arrive. As in the reference, a page is never filled up,
// since asking for more advances such a feed.

import type { AppBskyFeedDefs, AppBskyFeedGetFeed } from '@atproto/api'
import type { Reader } from '../../../../../answers/hydrate/reader.ts'
import { withFields } from '../../../../../answers/views/ready-json.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import type { ItemByUri } from '../../../../../data/store/read/items-by-uri.ts'
import { postsFromFallback } from '../../../../fallback/posts-from-fallback.ts'
import type { MethodResult } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { inPlaceOfDiscover, isDiscover } from '../../../discover-feed.ts'
import { askForSkeleton, type FeedSkeleton } from '../../../feed-skeleton.ts'
import { inTurn } from '../../../maybe-later.ts'
import { takeShare } from '../../../outside-shares.ts'
import { notBlockedOrMuted } from '../../../present.ts'
import { whenAsked } from '../../../when-asked.ts'

type Params = AppBskyFeedGetFeed.QueryParams & { limit: number }
type FeedCall = Call<Params>
type Chosen = FeedSkeleton['feed'][number]

const SKELETON = 'app.bsky.feed.getFeedSkeleton'
const REPOST: AppBskyFeedDefs.SkeletonReasonRepost['$type'] =
  'app.bsky.feed.defs#skeletonReasonRepost'
const PIN: AppBskyFeedDefs.SkeletonReasonPin['$type'] = 'app.bsky.feed.defs#skeletonReasonPin'
/** The wait for missing posts if at least half a page is at hand; LONG_WAIT_MS otherwise. */
const MAX_WAIT_MS = 1_000
const LONG_WAIT_MS = 2_500
/** Request headers that a generator may use, besides all that begin with `x-atproto-`. */
const PASSED_ON = ['accept-language', 'x-bsky-topics']
const PROTOCOL_HEADERS = 'x-atproto-'
/** Also sent under this name if the request has them under the old one, as in the reference. */
const TOPICS = 'x-atproto-bsky-topics'

export const getFeed = query(
  'app.bsky.feed.getFeed',
  { auth: 'optional', anyAudience: true, acceptsLxm: (lxm) => lxm === SKELETON },
  (app, call: FeedCall) =>
    answer(app, call).catch((error) => {
      if (!(error instanceof XRPCError) || !isDiscover(call.params.feed)) throw error
      return { body: { feed: inPlaceOfDiscover(app, call) } }
    }),
)

async function answer(app: AppContext, call: FeedCall): Promise<MethodResult> {
  const { feed: uri, limit, cursor } = call.params
  const { generators } = app
  const askedAt = performance.now()
  const endpoint = await generators.endpointOf(await generators.serviceOf(uri, call), call)
  takeShare(app, new URL(endpoint).host, call.who)
  const skeleton = await askForSkeleton(app, {
    endpoint,
    params: { feed: uri, limit, cursor },
    headers: headersFor(call),
    signal: call.signal,
  })
  const answeredAt = performance.now()
  const found = await findItems(app, skeleton.feed, call)
  const feed = inTurn(call, () => present(app, call.reader, { ...skeleton, ...found }))
  const durations = { skele: answeredAt - askedAt, hydr: performance.now() - answeredAt }
  return {
    body: { ...skeleton.further, feed, cursor: skeleton.cursor },
    headers: {
      ...(skeleton.language && { 'content-language': skeleton.language }),
      'server-timing': serverTiming(durations),
    },
  }
}

/** Shows whether the generator or this server made a feed slow. Names are the reference's. */
function serverTiming(durations: Record<string, number>): string {
  const parts = Object.entries(durations).map(([name, ms]) => `${name};dur=${Math.round(ms)}`)
  return parts.join(', ')
}

function headersFor(call: FeedCall): Record<string, string> {
  const headers = call.headersWith(PROTOCOL_HEADERS)
  const { token } = call
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  for (const name of PASSED_ON) {
    const value = call.header(name)
    if (value !== undefined) headers[name] = value
  }
  const topics = headers[TOPICS] ?? headers['x-bsky-topics']
  if (topics !== undefined) headers[TOPICS] = topics
  return headers
}

type Found = { items: ItemByUri[]; fallback: ReadonlyMap<string, object> }

/**
 * In the order of `chosen`; posts found nowhere have the item 0. Asks for missing posts at their
 * PDSs and at the fallback concurrently, and stops waiting once the fallback has them.
 */
async function findItems(
  app: AppContext,
  chosen: readonly Chosen[],
  call: FeedCall,
): Promise<Found> {
  const { itemsByUri, fetchRequests, waits, underWay } = app
  const named = chosen.map(({ post, reason }) => ({ post, repost: repostOf(reason) }))
  const found = itemsByUri(named)
  const unknown = named.filter((_, i) => found[i]!.isUnknown)
  const uris = unknown.map(({ post }) => post)
  // A repost that is not indexed is not shown, so its post is not needed.
  const single = unknown.filter(({ repost }) => repost === undefined).map(({ post }) => post)
  const theirs = postsFromFallback(app, call, single)
  if (unknown.length === 0 || !call.viewer) return { items: found, fallback: await theirs }
  const asked = fetchRequests.ask(call.viewer, {
    uris,
    dids: [...new Set(uris.map((uri) => uri.split('/', 3)[2]!))],
  })
  const keys = uris.map(parseRecordUri).filter((key) => key !== undefined)
  let isAnswered = false
  void theirs.then((views) => {
    isAnswered = views.size > 0
  })
  await waits.awaited(uris, {
    isThere: () => isAnswered || itemsByUri(unknown).every(({ isUnknown }) => !isUnknown),
    isOver: whenAsked(asked, () => underWay.records(keys)),
    maxWaitMs: unknown.length * 2 > named.length ? LONG_WAIT_MS : MAX_WAIT_MS,
    signal: call.signal,
  })
  return { items: itemsByUri(named), fallback: await theirs }
}

function repostOf(reason: Chosen['reason']): string | undefined {
  if (!reason || reason.$type !== REPOST || !('repost' in reason)) return undefined
  return String(reason.repost)
}

function present(
  { viewCache }: Needs<'viewCache'>,
  reader: Reader,
  page: {
    feed: readonly Chosen[]
    items: readonly ItemByUri[]
    reqId: string | undefined
    fallback: ReadonlyMap<string, object>
  },
) {
  const items = page.items.map(({ item }) => item)
  const shown = items.filter((item) => item !== 0)
  const ready = new Map(
    viewCache
      .items(shown, reader, { isShown: notBlockedOrMuted })
      .map((view, i) => [shown[i]!, view]),
  )
  const views = page.feed.map(({ post, reason, feedContext }, i) => {
    const item = items[i]!
    const fields = { feedContext, reqId: page.reqId }
    const fallback = item === 0 ? page.fallback.get(post) : undefined
    if (fallback) return { post: fallback, ...fields }
    const pins = reason?.$type === PIN && item !== 0
    const view = pins
      ? viewCache.items([item], reader, { isShown: notBlockedOrMuted, pinned: item })[0]
      : ready.get(item)
    return view && withFields(view, fields)
  })
  return views.filter((view) => view !== undefined)
}
