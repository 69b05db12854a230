// Headers for everything made from other people's blobs. A blob never changes, so browsers may cache it
// permanently. None of it may be active in a page: not under another type, not with scripts, not in a frame.

import type { Context } from 'hono'
import type { CacheEntry } from './cache/cache-entry.ts'
import type { MediaError } from './media-error.ts'
import { chargeBytes, timeOf } from './visitor.ts'

const GUARDED = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

export const FOR_GOOD = 'public, max-age=31536000, immutable'
const BUSY_RETRY_SECONDS = 2

/** `digest` of the bytes serves as ETag. */
export function mediaHeaders(contentType: string, digest: string): Record<string, string> {
  return {
    ...GUARDED,
    'content-type': contentType,
    'cache-control': FOR_GOOD,
    etag: etagOf(digest),
  }
}

/** Whether the client has exactly these bytes (RFC 9110 §13.1.2; weak comparison). */
export function isKnown(ifNoneMatch: string | undefined, digest: string): boolean {
  if (!ifNoneMatch) return false
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etagOf(digest))
}

/** Returns an entry in memory, or 304 if the client has it. */
export function fullResponse(
  c: Context,
  { contentType, digest, body }: CacheEntry,
  more: Record<string, string> = {},
): Response {
  const headers = { ...mediaHeaders(contentType, digest), ...more }
  if (isKnown(c.req.header('if-none-match'), digest)) {
    return new Response(null, { status: 304, headers })
  }
  chargeBytes(timeOf(c), body.length)
  const all = { ...headers, 'content-length': String(body.length) }
  return new Response(body as Uint8Array<ArrayBuffer>, { headers: all })
}

export function redirectResponse(location: string, cacheControl: string): Response {
  const headers = { ...GUARDED, location, 'cache-control': cacheControl }
  return new Response(null, { status: 302, headers })
}

/** As in XRPC errors: a name for programs, a sentence for people. */
export function errorResponse(error: MediaError): Response {
  const { status, standsSeconds } = error
  const body = JSON.stringify({ error: error.error, message: error.message })
  return new Response(body, {
    status,
    headers: {
      ...GUARDED,
      'content-type': 'application/json',
      'cache-control': standsSeconds > 0 ? `public, max-age=${standsSeconds}` : 'no-store',
      ...(status === 503 && { 'retry-after': String(BUSY_RETRY_SECONDS) }),
    },
  })
}

function etagOf(digest: string): string {
  return `"${digest.slice(0, 32)}"`
}
