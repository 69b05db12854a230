// Followers, likes, reposts and quotes of subjects we hold, from before we indexed them. If the counts show
// more than our index has (counted.ts), all of ours are listed first, then the AppView's without ours. Its
// list starts with the newest, mostly ours, which are skipped in large pages.

import { isRetiredCursor } from '../../../answers/skeleton/page-cursor.ts'
import { loadLexicons } from '../../../base/atproto/lexicons/lexicons.ts'
import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import type { MethodResult } from '../../../http/server/method.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import { itemsFieldOf } from '../appview/valid-answer.ts'
import { isWrapped, type WrappedCursor, wrapCursor } from '../appview/wrapped-cursor.ts'
import { askFallback } from './ask-fallback.ts'
import type { FallbackContext } from './context.ts'
import { isAboutSubject } from './is-about.ts'
import { lastPage } from './last-page.ts'
import { plainBody } from './outcome.ts'
import type { OwnMethod } from './own-method.ts'
import { parseWrapped, purposeOf } from './their-page.ts'

type EarlierActivity = {
  about: 'account' | 'post'
  /** @param key - a DID, or an at-URI with one */
  areMore(key: string): boolean
  /** Returns the items that we list ourselves or know to be gone. */
  oursAmong(items: readonly JsonObject[], key: string): Set<JsonObject>
}

type Request = { param: string; key: string; call: Call; activity: EarlierActivity }

const STRIDE = 100
const MAX_READS = 8
/** Share of the wait for reads after the first. */
const FURTHER_WAIT_SHARE = 0.5

/** Undefined for methods that list no such activity. */
export function earlierActivity(app: FallbackContext, nsid: string): EarlierActivity | undefined {
  const { actors, counted, engagement, graph, postsByUri } = app
  const idOf = (uri: string) => postsByUri([uri]).get(uri)?.id ?? 0
  const uidOf = (view: unknown) => (isObject(view) ? actors.uidOf(String(view['did'])) : 0)
  const those = (items: readonly JsonObject[], isOurs: (item: JsonObject) => boolean) =>
    new Set(items.filter(isOurs))
  switch (nsid) {
    case 'app.bsky.graph.getFollowers':
      return {
        about: 'account',
        areMore: (did) => (counted?.knownActor(actors.uidOf(did))?.followers ?? 0) > 0,
        oursAmong(items, did) {
          const subject = actors.uidOf(did)
          return those(items, (item) => uidOf(item) !== 0 && graph.has(uidOf(item), subject))
        },
      }
    case 'app.bsky.feed.getLikes':
      return {
        about: 'post',
        areMore: (uri) => (counted?.knownPost(idOf(uri))?.likes ?? 0) > 0,
        oursAmong(items, uri) {
          const post = idOf(uri)
          return those(items, ({ actor }) => engagement.hasLiked(uidOf(actor), post))
        },
      }
    case 'app.bsky.feed.getRepostedBy':
      return {
        about: 'post',
        areMore: (uri) => (counted?.knownPost(idOf(uri))?.reposts ?? 0) > 0,
        oursAmong(items, uri) {
          const post = idOf(uri)
          return those(items, (item) => engagement.hasReposted(uidOf(item), post))
        },
      }
    case 'app.bsky.feed.getQuotes':
      return {
        about: 'post',
        areMore: (uri) => (counted?.knownPost(idOf(uri))?.quotes ?? 0) > 0,
        oursAmong(items) {
          const rows = postsByUri(items.map(({ uri }) => String(uri)))
          return those(items, ({ uri }) => (rows.get(String(uri))?.is ?? 'stub') !== 'stub')
        },
      }
    default:
      return undefined
  }
}

export async function oursThenTheirs(
  app: FallbackContext,
  own: OwnMethod,
  request: Request,
): Promise<MethodResult> {
  const { call } = request
  const { params } = call
  const limit = Number(params['limit'])
  if (isWrapped(params['cursor'])) return goOn(app, own, request)
  const result = await own.answer(call)
  if (isRetiredCursor(params['cursor'] as string | undefined)) return result
  const body = await plainBody(result, call)
  const field = itemsFieldOf(loadLexicons(), own.nsid)!
  const ours = body[field] as JsonObject[]
  if (body['cursor'] !== undefined) return result
  const first = { page: 0, theirs: undefined }
  if (ours.length >= limit) {
    const cursor = wrapCursor(first, purposeOf(own.nsid, params))
    return { ...result, body: { ...body, cursor } }
  }
  const theirs = await theirRest(app, own.nsid, request, {
    from: first,
    limit: limit - ours.length,
  })
  if (!theirs) return result
  const merged = [...ours, ...(theirs[field] as JsonObject[])]
  return { ...result, body: { ...body, [field]: merged, cursor: theirs['cursor'] } }
}

async function goOn(app: FallbackContext, own: OwnMethod, request: Request): Promise<MethodResult> {
  const { call } = request
  const { uri, cid, limit } = call.params
  const from = parseWrapped(own.nsid, call)
  const theirs = await theirRest(app, own.nsid, request, { from, limit: Number(limit) })
  if (theirs) {
    const body = 'uri' in theirs ? { ...theirs, uri, cid } : theirs
    return { body }
  }
  return lastPage(own, call)
}

/**
 * Returns a page of items that we do not list ourselves. If all reads found only ours, the page is
 * empty and its cursor continues.
 */
async function theirRest(
  app: FallbackContext,
  nsid: string,
  { param, key, call, activity }: Request,
  { from, limit }: { from: WrappedCursor; limit: number },
): Promise<JsonObject | undefined> {
  const field = itemsFieldOf(loadLexicons(), nsid)!
  const purpose = purposeOf(nsid, call.params)
  let { page, theirs } = from
  let stride = Math.max(limit, STRIDE)
  let last: JsonObject | undefined
  for (let reads = 1; reads <= MAX_READS; reads++) {
    const params = { ...call.params, [param]: key, limit: stride, cursor: theirs }
    const waitShare = reads === 1 ? 1 : FURTHER_WAIT_SHARE
    const answer = await askFallback(app, call, { nsid, params, waitShare })
    if (!answer || !isAboutSubject(answer, activity.about, key)) break
    const all = answer[field] as JsonObject[]
    const ours = activity.oursAmong(all, key)
    const items = all.filter((item) => !ours.has(item))
    // Too many for this page: read again with a smaller stride.
    if (items.length > limit && stride > limit) {
      stride = limit
      continue
    }
    const { cursor } = answer
    const isEnd = typeof cursor !== 'string' || cursor === theirs
    page++
    const next = isEnd ? undefined : wrapCursor({ page, theirs: cursor }, purpose)
    last = { ...answer, [field]: items.slice(0, limit), cursor: next }
    if (items.length > 0 || next === undefined) return last
    theirs = String(cursor)
  }
  return last
}
