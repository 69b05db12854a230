// app.bsky.feed.getFeed: the choices of a feed generator, shown from our index. The caller's token is meant
// for the generator and forwarded to it, unless it is addressed to us. Missing posts are fetched while the
// client waits, briefly, and left out if they don't arrive. As in the reference, a page is never filled up,
// since asking for more advances such a feed.

import type { AppBskyFeedGetFeed } from '@atproto/api'
import { XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import { inTurn, inTurns } from '../../../../../base/util/turn.ts'
import type { MethodResult } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { findItems, presentEach } from '../../../feeds/chosen-items.ts'
import { insteadOfDiscover, isDiscover } from '../../../feeds/discover-feed.ts'
import { askForSkeleton } from '../../../feeds/feed-skeleton.ts'
import { ownFeedPage } from '../../../feeds/own-feed-page.ts'
import { takeShare } from '../../../strangers/outside-shares.ts'

type Params = AppBskyFeedGetFeed.QueryParams & { limit: number }
type FeedCall = Call<Params>

const SKELETON = 'app.bsky.feed.getFeedSkeleton'
/** Request headers that a generator may use, besides all that begin with `x-atproto-`. */
const PASSED_ON = ['accept-language', 'x-bsky-topics']
const PROTOCOL_HEADERS = 'x-atproto-'
/** Also sent under this name if the request has them under the old one, as in the reference. */
const TOPICS = 'x-atproto-bsky-topics'

export const getFeed = query(
  'app.bsky.feed.getFeed',
  { auth: 'optional', anyAudience: true, acceptsLxm: (lxm) => lxm === SKELETON },
  (app, call: FeedCall) =>
    answerHere(app, call).catch(async (error) => {
      if (!(error instanceof XRPCError) || !isDiscover(call.params.feed)) throw error
      return { body: { feed: await inTurn(call, () => inTurns(insteadOfDiscover(app, call))) } }
    }),
)

/** Feeds of our own come first, unless they have nothing. */
async function answerHere(app: AppContext, call: FeedCall): Promise<MethodResult> {
  const own = app.ownFeeds.of(call.params.feed)
  return (own && (await ownFeedPage(app, call, own))) ?? answer(app, call)
}

async function answer(app: AppContext, call: FeedCall): Promise<MethodResult> {
  const { feed: uri, limit, cursor } = call.params
  const { generators } = app
  const requestedAt = performance.now()
  const endpoint = await generators.endpointOf(await generators.serviceOf(uri, call), call)
  takeShare(app, new URL(endpoint).host, call.who)
  const skeleton = await askForSkeleton(app, {
    endpoint,
    params: { feed: uri, limit, cursor },
    headers: headersFor(call),
    call,
  })
  const answeredAt = performance.now()
  const found = await inTurn(call, () => findItems(app, skeleton.feed, call))
  const page = {
    feed: skeleton.feed,
    reqId: skeleton.reqId,
    items: found.items,
    elsewhere: found.elsewhere,
  }
  const views = await inTurn(call, () => inTurns(presentEach(app, call.reader, page)))
  const feed = views.filter((view) => view !== undefined)
  const durations = { skele: answeredAt - requestedAt, hydr: performance.now() - answeredAt }
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
