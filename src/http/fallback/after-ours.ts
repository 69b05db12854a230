// Searches: what is found here comes first, to its end, and then what is found elsewhere and not here.

import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import { loadLexicons } from '../../data/lexicons/lexicons.ts'
import { isObject, type Json } from '../../sources/appview/json.ts'
import { itemsFieldOf } from '../../sources/appview/valid-answer.ts'
import { isWrapped, wrapCursor } from '../../sources/appview/wrapped-cursor.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../server/method.ts'
import { type AppContext, viewerOf } from '../xrpc/app-context.ts'
import { parseSeen, type SeenAccounts, splitSeen } from '../xrpc/seen-accounts.ts'
import { plainBody } from './outcome.ts'
import { parseWrapped, purposeOf, theirPage } from './their-page.ts'

const ACTORS = 'app.bsky.actor.searchActors'
const TYPEAHEAD = 'app.bsky.actor.searchActorsTypeahead'
/** Whoever types does not wait. */
const TYPEAHEAD_WAIT_SHARE = 0.4
const MIN_LETTERS = 2
/** So many of our own are looked through for what came from elsewhere. */
const MAX_OWN = 100

type Search = { field: string; limit: number; context: MethodContext }

export function afterOurs(serving: AppContext, method: Method): Method['handler'] {
  const { nsid } = method
  const field = itemsFieldOf(loadLexicons(), nsid)!
  return async (context) => {
    const limit = Number(context.params['limit'])
    const search = { field, limit, context }
    if (isWrapped(context.params['cursor'])) return goOn(serving, nsid, search)
    const result = await method.handler(context)
    const isOver = isObject(result.body) && result.body['cursor'] === undefined
    const isRetired = isRetiredCursor(context.params['cursor'] as string | undefined)
    if (!isOver || isRetired || !isForEverybody(context)) return result
    return filledUp(serving, nsid, search, result)
  }
}

async function filledUp(
  serving: AppContext,
  nsid: string,
  { field, limit, context }: Search,
  result: MethodResult,
): Promise<MethodResult> {
  const body = plainBody(result)
  const own = body[field] as Json[]
  const isTypeahead = nsid === TYPEAHEAD
  if (own.length >= limit) {
    const seen = seenUpTo(nsid, context, own)?.text
    const first = { page: 0, theirs: undefined, seen }
    const next = isTypeahead ? undefined : wrapCursor(first, purposeOf(nsid, context.params))
    return { ...result, body: { ...(result.body as Json), cursor: next } }
  }
  const shown = new Set(own.map(keyOf))
  const seen = seenUpTo(nsid, context, own)
  const notOurs = withoutSeen(seen, withoutOurs(serving, context))
  const more = await theirPage(serving, {
    ...{ context, nsid },
    params: { ...context.params, limit: limit - own.length },
    from: { page: 0, theirs: undefined },
    waitShare: isTypeahead ? TYPEAHEAD_WAIT_SHARE : undefined,
    keep: (items) => notOurs(items.filter((item) => !shown.has(keyOf(item)))),
    seenWith: seen && ((items) => seen.with(items.map(keyOf)).text),
  })
  if (!more) return result
  const { hitsTotal: _, ...rest } = body
  const merged = [...own, ...(more[field] as Json[])]
  return { ...result, body: { ...rest, [field]: merged, cursor: more['cursor'] } }
}

async function goOn(
  serving: AppContext,
  nsid: string,
  { field, context }: Search,
): Promise<MethodResult> {
  const from = parseWrapped(nsid, context)
  const seen = nsid === ACTORS ? parseSeen(from.seen) : undefined
  const keep = withoutSeen(seen, withoutOurs(serving, context))
  const { params } = context
  const page = await theirPage(serving, {
    ...{ context, nsid, params, from, keep },
    seenWith: seen && ((items) => seen.with(items.map(keyOf)).text),
  })
  return {
    body: { [field]: page?.[field] ?? [], cursor: page?.['cursor'] },
    headers: labelerHeaders(context),
  }
}

/** What only the viewer's own graph can answer is not asked of anybody else. */
function isForEverybody({ params, viewer }: MethodContext): boolean {
  const q = String(params['q'] ?? params['term'] ?? params['query'] ?? '').trim()
  if (q.length < MIN_LETTERS || params['following'] === true || OWN.test(q)) return false
  return viewer === undefined || !JSON.stringify(params).includes(viewer)
}

/** The viewer, as the text of a search can name them. */
const OWN = /\b(from|mentions|to):@?me\b/i

function keyOf(item: Json): string {
  return String(item['uri'] ?? item['did'])
}

/** Whom this page and those before it have shown; undefined where the search is not for accounts. */
function seenUpTo(
  nsid: string,
  { params }: MethodContext,
  own: readonly Json[],
): SeenAccounts | undefined {
  if (nsid !== ACTORS) return undefined
  return splitSeen(params['cursor'] as string | undefined)?.seen.with(own.map(keyOf))
}

/**
 * Whom we have shown is known as long as they are not too many; and then whoever was not shown is not left
 * out, though we may have come to know them a moment ago.
 */
function withoutSeen(
  seen: SeenAccounts | undefined,
  notOurs: (items: Json[]) => Json[],
): (items: Json[]) => Json[] {
  if (!seen) return notOurs
  return (items) => {
    const once = [...new Map(items.map((item) => [keyOf(item), item])).values()]
    const unseen = once.filter((item) => !seen.has(keyOf(item)))
    return seen.isFull ? notOurs(unseen) : unseen
  }
}

/** What our own search would have found is left out. */
function withoutOurs(
  serving: AppContext,
  { params, viewer: did }: MethodContext,
): (items: Json[]) => Json[] {
  const { actors, hydrator, postsByUri } = serving
  const viewer = viewerOf(actors, did)?.uid ?? 0
  return (items) => {
    const uris = items.flatMap(({ uri }) => (typeof uri === 'string' ? [uri] : []))
    if (uris.length === 0) {
      const q = String(params['q'] ?? params['term'] ?? '')
      const found = items.length > 0 ? foundHere(serving, q, viewer) : new Set<number>()
      return items.filter((item) => !found.has(actors.uidOf(String(item['did']))))
    }
    const posts = postsByUri(uris)
    const { records } = hydrator.records(uris, undefined)
    return items.filter(
      ({ uri }) => posts.get(String(uri))?.is !== 'present' && !records.has(String(uri)),
    )
  }
}

function foundHere({ searchActors }: AppContext, q: string, viewer: number): Set<number> {
  return new Set(searchActors({ q, viewer, limit: MAX_OWN, cursor: undefined }).uids)
}
