// app.bsky.feed.sendInteractions: what a member thought of posts in a feed, handed on to the generator
// with their token, which was made out for it. Clients send this to the generator themselves where they
// can; nothing here depends on it, and nobody is told where it is lost.

import type { AppBskyFeedSendInteractions } from '@atproto/api'
import type { Method, MethodContext } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

type Input = AppBskyFeedSendInteractions.InputSchema

const METHOD = 'app.bsky.feed.sendInteractions'
const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

export function sendInteractions(serving: AppContext): Method<Record<string, never>, Input> {
  return {
    nsid: METHOD,
    kind: 'procedure',
    auth: 'required',
    anyAudience: true,
    handler: async (context) => {
      if (context.input.feed)
        await handOn(serving, context, context.input.feed).catch(() => undefined)
      return { body: {} }
    },
  }
}

async function handOn(
  { fetch, generators }: AppContext,
  { input, token, signal }: MethodContext<Record<string, never>, Input>,
  feed: string,
): Promise<void> {
  const endpoint = await generators.endpointOf(await generators.serviceOf(feed, signal))
  await fetch(`${endpoint}/xrpc/${METHOD}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(input),
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    signal,
  })
}
