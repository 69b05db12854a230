// Reads one page from the public AppView, no longer than requested, and wraps its cursor in ours. Skips a few
// pages that turn out empty after filtering.

import { loadLexicons } from '../../../base/atproto/lexicons/lexicons.ts'
import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import type { MaybeLater } from '../../../base/util/turn.ts'
import type { Params } from '../../../http/server/method.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import { itemsFieldOf } from '../appview/valid-answer.ts'
import { unwrapCursor, type WrappedCursor, wrapCursor } from '../appview/wrapped-cursor.ts'
import { askFallback, type FallbackRequest } from './ask-fallback.ts'
import type { FallbackContext } from './context.ts'

const MAX_READS = 3
/** Share of the wait for further pages, after an empty one. */
const FURTHER_WAIT_SHARE = 0.3

type PageRequest = FallbackRequest & {
  call: Call
  from: WrappedCursor
  /** Filters items further, beyond the checks that apply to every answer from the AppView. */
  filter?: (items: JsonObject[]) => MaybeLater<JsonObject[]>
  /** Returns what the next cursor records as seen after these items. */
  seenWith?: (items: readonly JsonObject[]) => string | undefined
}

/** @returns undefined if there is no answer */
export async function theirPage(
  app: FallbackContext,
  { call, nsid, params, from, waitShare, filter = (items) => items, seenWith }: PageRequest,
): Promise<JsonObject | undefined> {
  const field = itemsFieldOf(loadLexicons(), nsid)
  const limit = Number(params['limit'] ?? Number.POSITIVE_INFINITY)
  let { page, theirs } = from
  for (let reads = 1; ; reads++) {
    const request = {
      nsid,
      params: { ...params, cursor: theirs },
      waitShare: reads === 1 ? waitShare : FURTHER_WAIT_SHARE,
    }
    const answer = await askFallback(app, call, request)
    if (!answer || field === undefined) return answer
    const filtered = await filter(answer[field] as JsonObject[])
    const items = filtered.slice(0, limit)
    const { cursor } = answer
    const isLast = typeof cursor !== 'string' || cursor === theirs
    page++
    if (isLast || items.length > 0 || reads === MAX_READS) {
      const goesOn = !isLast && items.length > 0
      const purpose = purposeOf(nsid, call.params)
      const next = goesOn
        ? wrapCursor({ page, theirs: cursor, seen: seenWith?.(items) }, purpose)
        : undefined
      return { ...answer, [field]: items, cursor: next }
    }
    theirs = cursor
  }
}

/** @throws XRPCError if we did not issue the cursor */
export function parseWrapped(nsid: string, { params }: Call): WrappedCursor {
  const found = unwrapCursor(String(params['cursor']), purposeOf(nsid, params))
  if (!found) throw invalidRequest('Malformed cursor')
  return found
}

/** What a cursor is bound to: the whole request except for `cursor` and `limit`. */
export function purposeOf(nsid: string, params: Params): string {
  const { cursor: _, limit: __, ...rest } = params
  const names = Object.keys(rest).sort()
  return `${nsid} ${JSON.stringify(names.map((name) => [name, rest[name]]))}`
}
