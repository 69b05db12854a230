// Searches: returns all of our own results first, then the public AppView's results that are not ours.

import { asVisitor } from '../../../answers/hydrate/reader.ts'
import { isRetiredCursor } from '../../../answers/skeleton/page-cursor.ts'
import { loadLexicons } from '../../../base/atproto/lexicons/lexicons.ts'
import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { MethodResult } from '../../../http/server/method.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import { findActors } from '../../../http/xrpc/search/actor-search.ts'
import { parseSeen, type SeenAccounts, splitSeen } from '../../../http/xrpc/search/seen-accounts.ts'
import type { Answering } from '../../../http/xrpc/waiting/up-to-date.ts'
import { itemsFieldOf } from '../appview/valid-answer.ts'
import { isWrapped, wrapCursor } from '../appview/wrapped-cursor.ts'
import type { FallbackContext } from './context.ts'
import { plainBody } from './outcome.ts'
import type { OwnMethod } from './own-method.ts'
import { parseWrapped, purposeOf, theirPage } from './their-page.ts'

const ACTORS = 'app.bsky.actor.searchActors'
const TYPEAHEAD = 'app.bsky.actor.searchActorsTypeahead'
/** Typeahead must not wait long. */
const TYPEAHEAD_WAIT_SHARE = 0.4
const MIN_LETTERS = 2
/** How many of our own results are compared with the AppView's. */
const MAX_OWN = 100

type Filter = (items: JsonObject[]) => MaybeLater<JsonObject[]>
type Search = { field: string; limit: number; call: Call }

export function afterOurs(app: FallbackContext, own: OwnMethod): Answering {
  const { nsid } = own
  const field = itemsFieldOf(loadLexicons(), nsid)!
  return async (call) => {
    const limit = Number(call.params['limit'])
    const search = { field, limit, call }
    if (isWrapped(call.params['cursor'])) return goOn(app, nsid, search)
    const { result, refusal } = await ownOf(own, call, field)
    const isOver = isObject(result.body) && result.body['cursor'] === undefined
    const isRetired = isRetiredCursor(call.params['cursor'] as string | undefined)
    if (refusal && !isForEverybody(call)) throw refusal
    if (!isOver || isRetired || !isForEverybody(call)) return result
    const filled = await filledUp(app, nsid, search, result)
    // Without its answer, nobody can tell.
    if (refusal && filled === result) throw refusal
    return filled
  }
}

/** What we can't tell, the public AppView may. */
async function ownOf(
  own: OwnMethod,
  call: Call,
  field: string,
): Promise<{ result: MethodResult; refusal?: XRPCError }> {
  try {
    return { result: await own.answer(call) }
  } catch (error) {
    if (!(error instanceof XRPCError) || error.error !== 'NotKnownHere') throw error
    return { result: { body: { [field]: [] } }, refusal: error }
  }
}

async function filledUp(
  app: FallbackContext,
  nsid: string,
  { field, limit, call }: Search,
  result: MethodResult,
): Promise<MethodResult> {
  const body = await plainBody(result, call)
  const own = body[field] as JsonObject[]
  const isTypeahead = nsid === TYPEAHEAD
  if (own.length >= limit) {
    const seen = seenUpTo(nsid, call, own)?.text
    const first = { page: 0, theirs: undefined, seen }
    const next = isTypeahead ? undefined : wrapCursor(first, purposeOf(nsid, call.params))
    return { ...result, body: { ...(result.body as JsonObject), cursor: next } }
  }
  const visible = new Set(own.map(keyOf))
  const seen = seenUpTo(nsid, call, own)
  const notOurs = withoutSeen(seen, withoutOurs(app, call))
  const more = await theirPage(app, {
    call,
    nsid,
    params: { ...call.params, limit: limit - own.length },
    from: { page: 0, theirs: undefined },
    waitShare: isTypeahead ? TYPEAHEAD_WAIT_SHARE : undefined,
    filter: (items) => notOurs(items.filter((item) => !visible.has(keyOf(item)))),
    seenWith: seen && ((items) => seen.with(items.map(keyOf)).text),
  })
  if (!more) return result
  const { hitsTotal: _, ...rest } = body
  const merged = [...own, ...(more[field] as JsonObject[])]
  return { ...result, body: { ...rest, [field]: merged, cursor: more['cursor'] } }
}

async function goOn(
  app: FallbackContext,
  nsid: string,
  { field, call }: Search,
): Promise<MethodResult> {
  const from = parseWrapped(nsid, call)
  const seen = nsid === ACTORS ? parseSeen(from.seen) : undefined
  const filter = withoutSeen(seen, withoutOurs(app, call))
  const { params } = call
  const page = await theirPage(app, {
    call,
    nsid,
    params,
    from,
    filter,
    seenWith: seen && ((items) => seen.with(items.map(keyOf)).text),
  })
  return {
    body: { [field]: page?.[field] ?? [], cursor: page?.['cursor'] },
  }
}

/** Searches that only the viewer's own graph can answer are not sent to the AppView. */
function isForEverybody({ params, viewer }: Call): boolean {
  const q = String(params['q'] ?? params['term'] ?? params['query'] ?? '').trim()
  if (q.length < MIN_LETTERS || params['following'] === true || OWN.test(q)) return false
  return viewer === undefined || !JSON.stringify(params).includes(viewer.did)
}

/** References to the viewer in a query's text. */
const OWN = /\b(from|mentions|to):@?me\b/i

function keyOf(item: JsonObject): string {
  return String(item['uri'] ?? item['did'])
}

/** Accounts shown on this page and earlier ones; undefined unless the search is for accounts. */
function seenUpTo(
  nsid: string,
  { params }: Call,
  own: readonly JsonObject[],
): SeenAccounts | undefined {
  if (nsid !== ACTORS) return undefined
  return splitSeen(params['cursor'] as string | undefined)?.seen.with(own.map(keyOf))
}

/**
 * Drops accounts already shown, which are tracked up to a limit. While tracking is complete, keeps
 * all others, even accounts that entered our index a moment ago; after that, drops what `notOurs`
 * drops too.
 */
function withoutSeen(seen: SeenAccounts | undefined, notOurs: Filter): Filter {
  if (!seen) return notOurs
  return (items) => {
    const once = [...new Map(items.map((item) => [keyOf(item), item])).values()]
    const unseen = once.filter((item) => !seen.has(keyOf(item)))
    return seen.isFull ? notOurs(unseen) : unseen
  }
}

/** Drops results that our own search would have found. */
function withoutOurs(app: FallbackContext, call: Call): Filter {
  const { actors, hydrator, postsByUri } = app
  const { params, reader } = call
  return (items) => {
    const uris = items.flatMap(({ uri }) => (typeof uri === 'string' ? [uri] : []))
    if (uris.length === 0) {
      const q = String(params['q'] ?? params['term'] ?? '')
      const isOurs = items.length > 0 ? foundHere(app, call, q) : new Set<number>()
      return andThen(isOurs, (ours) =>
        items.filter((item) => !ours.has(actors.uidOf(String(item['did'])))),
      )
    }
    const posts = postsByUri(uris)
    const { records } = hydrator.records(uris, asVisitor(reader))
    return items.filter(
      ({ uri }) => posts.get(String(uri))?.is !== 'present' && !records.has(String(uri)),
    )
  }
}

function foundHere(app: FallbackContext, call: Call, q: string): MaybeLater<Set<number>> {
  const request = { q, viewer: call.viewer?.uid ?? 0, limit: MAX_OWN, cursor: undefined }
  return andThen(findActors(app, request, call), ({ items }) => new Set(items))
}
