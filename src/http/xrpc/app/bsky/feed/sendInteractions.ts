// app.bsky.feed.sendInteractions: a member's feedback on posts of a feed, forwarded to the generator with the
// member's token, which was issued for it. Clients send this to the generator directly if they can; nothing
// here depends on it, and losses are not reported. A token addressed to us is not handed on.

import type { AppBskyFeedSendInteractions } from '@atproto/api'
import type { SignedInCall } from '../../../call.ts'
import { type Needs, procedure } from '../../../define.ts'
import type { OwnFeed } from '../../../feeds/own-feeds.ts'
import { takeShare } from '../../../strangers/outside-shares.ts'

type Interactions = SignedInCall<unknown, AppBskyFeedSendInteractions.InputSchema>

const METHOD = 'app.bsky.feed.sendInteractions'
const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024
/** Of one call. */
const MAX_INTERACTIONS = 200

export const sendInteractions = procedure(
  METHOD,
  { anyAudience: true },
  async (app, call: Interactions) => {
    const { feed } = call.input
    const own = app.ownFeeds.of(feed ?? '')
    if (own) await heed(own, call)
    else if (feed === undefined)
      await Promise.all(app.ownFeeds.all().map((ownFeed) => heed(ownFeed, call)))
    else if (call.token !== undefined) await handOn(app, call, feed).catch(() => undefined)
    return { body: {} }
  },
)

/** A client that sends them to us names no feed if it got the posts from ours. */
async function heed(own: OwnFeed, { viewer, input }: Interactions): Promise<void> {
  const named = input.interactions.slice(0, MAX_INTERACTIONS).flatMap(({ item, event }) => {
    return item !== undefined && event !== undefined ? [{ item, event }] : []
  })
  if (named.length > 0) await own.heed?.(viewer, named)
}

async function handOn(
  { fetch, generators, quotas }: Needs<'fetch' | 'generators' | 'quotas'>,
  call: Interactions,
  feed: string,
): Promise<void> {
  const { input, token, signal, who } = call
  const endpoint = await generators.endpointOf(await generators.serviceOf(feed, call), call)
  takeShare({ quotas }, new URL(endpoint).host, who)
  await fetch(`${endpoint}/xrpc/${METHOD}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(input),
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    signal,
  })
}
