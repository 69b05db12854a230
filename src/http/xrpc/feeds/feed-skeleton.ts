// Calls app.bsky.feed.getFeedSkeleton of a feed generator for a member: forwards the member's token
// unchanged, since it was issued for the generator. Reports errors as the reference does.

import type { AppBskyFeedGetFeedSkeleton } from '@atproto/api'
import { loadLexicons } from '../../../base/atproto/lexicons/lexicons.ts'
import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { inTurn } from '../../../base/util/turn.ts'
import type { FetchedResponse } from '../../../sources/identity/guarded-fetch.ts'
import { readSafeJson } from '../../server/input.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'

export type FeedSkeleton = {
  feed: AppBskyFeedGetFeedSkeleton.OutputSchema['feed']
  cursor: string | undefined
  reqId: string | undefined
  /** The generator's other fields for the page, forwarded unchanged. */
  further: Readonly<Record<string, unknown>>
  /** Language of the response, if it names one. */
  language: string | undefined
}

type SkeletonRequest = {
  endpoint: string
  params: { feed: string; limit: number; cursor: string | undefined }
  headers: Record<string, string>
  /** The call that waits, which pays for reading the answer. */
  call: Pick<Call, 'signal' | 'time'>
}

const METHOD = 'app.bsky.feed.getFeedSkeleton'
const TIMEOUT_MS = 8_000
const MAX_BYTES = 1024 * 1024

/** @throws XRPCError */
export async function askForSkeleton(
  { fetch }: Needs<'fetch'>,
  { endpoint, params, headers, call }: SkeletonRequest,
): Promise<FeedSkeleton> {
  const { feed, limit, cursor } = params
  const { signal } = call
  const query = new URLSearchParams({ feed, limit: String(limit), ...(cursor && { cursor }) })
  const options = { headers, signal, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS }
  const response = await fetch(`${endpoint}/xrpc/${METHOD}?${query}`, options).catch((cause) => {
    throw new XRPCError(502, 'UpstreamFailure', 'feed unavailable', { cause })
  })
  return inTurn(call, () => readSkeleton(response, params))
}

function readSkeleton(
  response: FetchedResponse,
  { limit, cursor }: SkeletonRequest['params'],
): FeedSkeleton {
  const body = readSafeJson(response.body)
  if (response.status !== 200) throw refusal(response, body)
  const { feed: items, cursor: next, reqId, ...further } = validated(withoutNulls(body))
  // An empty page is the last one, and so is one whose cursor repeats.
  const isLast = items.length === 0 || next === cursor
  return {
    feed: items.slice(0, limit),
    cursor: isLast ? undefined : next,
    reqId,
    further,
    language: response.headers.get('content-language') ?? undefined,
  }
}

function validated(body: unknown): AppBskyFeedGetFeedSkeleton.OutputSchema {
  try {
    return loadLexicons().assertValidXrpcOutput(
      METHOD,
      body,
    ) as AppBskyFeedGetFeedSkeleton.OutputSchema
  } catch (cause) {
    throw new XRPCError(502, 'InvalidFeedResponse', 'feed provided an invalid response', { cause })
  }
}

/** Several generators send null if they have no cursor. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

/** Forwards the generator's errors; its 500 becomes a 502, since the failure is not ours. */
function refusal({ status }: FetchedResponse, body: unknown): XRPCError {
  const { error, message } = (body ?? {}) as { error?: unknown; message?: unknown }
  if (status < 400 || typeof error !== 'string' || error === '') {
    return new XRPCError(502, 'InvalidFeedResponse', 'feed provided an invalid response')
  }
  const text = typeof message === 'string' ? message.slice(0, 500) : error
  return new XRPCError(status === 500 ? 502 : status, error.slice(0, 100), text)
}
