// Search and suggestions. Words of a search are read as XRPC reads them; whom they name is looked for in the
// index alone, since the frontend resolves names itself.

import { createPopularRecords } from '../../answers/skeleton/popular-records.ts'
import { createActorSearch } from '../../answers/skeleton/search/actors.ts'
import { createPostSearch } from '../../answers/skeleton/search/posts.ts'
import type { RecordCollection } from '../../base/atproto/collections.ts'
import {
  matchOf,
  type Operator,
  operatorTerm,
  type PostFilter,
  parsePostQuery,
  parseTime,
} from '../../data/search/post-query.ts'
import { term } from '../../data/search/post-terms.ts'
import { createSuggestions } from '../xrpc/suggestions.ts'
import { cursorOf, pageSize, type Rpcs } from './messages.ts'
import type { Reading } from './reading.ts'

type Asked = { q: string; limit: number; cursor?: string | undefined }
type Params = { query: string; limit: number; cursor?: string }

type Condition = Pick<Operator, 'name' | 'value'>

export type PostConditions = {
  sort?: 'top' | 'latest'
  conditions?: readonly Condition[]
  since?: string | undefined
  until?: string | undefined
}

export type Searches = ReturnType<typeof createSearches>

const GENERATOR = 'app.bsky.feed.generator'
const PACK = 'app.bsky.graph.starterpack'
const MAX_SUGGESTED = 100

export function createSearches(reading: Reading) {
  const { db, actors } = reading
  const searchActors = createActorSearch(reading)
  const posts = createPostSearch(db)
  const popular = createPopularRecords({ db, actors })
  return {
    actors({ q, limit, cursor, viewer = '' }: Asked & { viewer?: string }) {
      const uid = viewer === '' ? 0 : actors.uidOf(viewer)
      const page = searchActors({
        q,
        viewer: uid,
        limit: pageSize(limit),
        cursor: cursorOf(cursor),
      })
      return { dids: page.items.map((uid) => actors.didOf(uid)), cursor: page.cursor }
    },

    /** `conditions`: beside those that the text names. */
    posts(request: Asked & PostConditions) {
      const { q, limit, cursor, sort = 'latest', conditions = [], since, until } = request
      const query = parsePostQuery(q)
      const match = matchOf(query, filterOf(reading, query.operators, conditions))
      if (match === undefined) return { uris: [], cursor: undefined }
      const said = (name: string) =>
        query.operators.findLast((one) => one.name === name && !one.isExcluded)?.value
      const page = posts.page({
        match,
        sort,
        since: parseTime(said('since')) ?? parseTime(since) ?? -Infinity,
        until: parseTime(said('until')) ?? parseTime(until) ?? Infinity,
        limit: pageSize(limit),
        cursor: cursorOf(cursor),
      })
      const uris = reading.postUris(page.items)
      return { uris: page.items.flatMap((id) => uris.get(id) ?? []), cursor: page.cursor }
    },

    records(collection: RecordCollection, { q, limit, cursor }: Asked) {
      const place = { limit: pageSize(limit), cursor: cursorOf(cursor) }
      const { items, cursor: next } = popular({ collection, query: q, ...place })
      return { uris: items, cursor: next }
    },
  }
}

export function searchRpcs(reading: Reading, searches: Searches): Rpcs {
  const asked = (params: Params | undefined): Asked => ({
    q: params?.query ?? '',
    limit: params?.limit || 25,
    cursor: params?.cursor,
  })
  const termed = ({ term, ...request }: { term: string; limit: number; cursor: string }) => ({
    ...request,
    q: term,
  })
  return {
    searchActors: (request) => searches.actors(termed(request)),
    searchPosts: (request) => searches.posts(termed(request)),
    searchStarterPacks: (request) => searches.records(PACK, termed(request)),
    searchFeedGenerators: ({ query, limit }) => ({
      uris: searches.records(GENERATOR, { q: query, limit }).uris,
    }),
    searchActorsTypeahead: ({ params }) => ({
      actors: searches.actors({ ...asked(params), cursor: undefined }).dids.map(didHit),
    }),
    searchActorsV2({ params }) {
      const { dids, cursor } = searches.actors(asked(params))
      return { actors: dids.map(didHit), pageInfo: pageInfo(cursor) }
    },
    searchPostsV2({ params, filters }) {
      const conditions = (filters?.authors ?? [])
        .slice(0, 1)
        .map((value) => ({ name: 'from' as const, value }))
      const { uris, cursor } = searches.posts({ ...asked(params), conditions })
      return { posts: uris.map(uriHit), pageInfo: pageInfo(cursor) }
    },
    searchStarterPacksV2({ params }) {
      const { uris, cursor } = searches.records(PACK, asked(params))
      return { starterPacks: uris.map(uriHit), pageInfo: pageInfo(cursor) }
    },
    searchFeedGeneratorsV2({ params }) {
      const { uris, cursor } = searches.records(GENERATOR, asked(params))
      return { feedGenerators: uris.map(uriHit), pageInfo: pageInfo(cursor) }
    },
    ...suggestionRpcs(reading, searches),
  }
}

function suggestionRpcs(reading: Reading, searches: Searches): Rpcs {
  const { actors, graph } = reading
  const suggestions = createSuggestions({ graph, actors })
  return {
    getSuggestedFeeds: ({ limit, cursor }) => searches.records(GENERATOR, { q: '', limit, cursor }),

    getFollowSuggestions({ actorDid, relativeToDid, limit, cursor }) {
      const viewer = actors.uidOf(actorDid)
      const relativeTo = relativeToDid === '' ? 0 : actors.uidOf(relativeToDid)
      const uids =
        relativeToDid === ''
          ? suggestions.forViewer(viewer)
          : relativeTo === 0
            ? []
            : suggestions.relativeTo(relativeTo, viewer)
      const start = /^\d{1,6}$/.test(cursor) ? Number(cursor) : 0
      const end = start + Math.min(pageSize(limit), MAX_SUGGESTED)
      const dids = uids.slice(start, end).map((uid) => actors.didOf(uid))
      return { dids, cursor: end < uids.length ? String(end) : '' }
    },
  }
}

function didHit(did: string) {
  return { did, score: 0 }
}

function uriHit(uri: string) {
  return { uri, score: 0 }
}

function pageInfo(cursor: string | undefined) {
  return { cursor: cursor ?? '', hitsTotal: 0n }
}

/**
 * What cannot be read fits nothing, rather than everything. Whom the text names counts before the condition,
 * as in the reference.
 */
function filterOf(
  reading: Reading,
  operators: readonly Operator[],
  conditions: readonly Condition[],
): PostFilter {
  const filter: PostFilter = { groups: [], none: [] }
  const isFrom = ({ name, isExcluded }: Operator) => name === 'from' && !isExcluded
  const from = operators.filter(isFrom)
  for (const one of operators) {
    if (one.name === 'since' || one.name === 'until' || isFrom(one)) continue
    if (one.isExcluded) filter.none.push(...termsOf(reading, one))
    else filter.groups.push(termsOf(reading, one))
  }
  if (from.length > 0) filter.groups.push(from.flatMap((one) => termsOf(reading, one)))
  for (const one of conditions) {
    if (one.name !== 'from' || from.length === 0) filter.groups.push(termsOf(reading, one))
  }
  return filter
}

function termsOf(reading: Reading, { name, value }: Condition): string[] {
  if (name !== 'from' && name !== 'mentions') {
    const found = operatorTerm({ name, value })
    return found === undefined ? [] : [found]
  }
  const { actors, accounts } = reading
  const uid = value.startsWith('did:') ? actors.uidOf(value) : accounts.uidOfHandle(value)
  if (uid === 0) return []
  return [name === 'from' ? term.author(uid) : term.mention(actors.didOf(uid))]
}
