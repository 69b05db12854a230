// Search and suggestions. Queries are parsed as in XRPC, but names in them are looked up only in the index,
// since the frontend resolves names itself.

import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { createPopularRecords } from '../../../answers/skeleton/popular-records.ts'
import type { SearchCall } from '../../../answers/skeleton/search/searches.ts'
import type { RecordCollection } from '../../../base/atproto/collections.ts'
import { andThen } from '../../../base/util/turn.ts'
import { notRecommendedTo } from '../../../http/xrpc/accounts/not-recommended.ts'
import { createSuggestions } from '../../../http/xrpc/accounts/suggestions.ts'
import { createKnownNames } from '../../../http/xrpc/naming/actor-names.ts'
import { namedRecords } from '../../../http/xrpc/naming/named-records.ts'
import { findActors } from '../../../http/xrpc/search/actor-search.ts'
import { type PostSearchParams, postSearch } from '../../../http/xrpc/search/post-search.ts'
import { ofSearchPosts, ofSearchPostsV2 } from '../../../http/xrpc/search/post-search-params.ts'
import { type SearchPostsV2Request, SearchSortOrder } from '../generated/bsky-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { cursorOf, pageSize, type Rpcs } from '../wire/messages.ts'
import { unfit } from './mutes.ts'

type SearchRequest = { q: string; limit: number; cursor?: string | undefined }
type Params = { query: string; limit: number; cursor?: string }

type Page = { limit: number; cursor?: string | undefined; viewer?: string | undefined }

export type Searches = ReturnType<typeof createSearches>

const GENERATOR = 'app.bsky.feed.generator'
const PACK = 'app.bsky.graph.starterpack'
const MAX_SUGGESTED = 100
/** The frontend asks for all of its callers. */
const FRONTEND: SearchCall = {}

export function createSearches(reading: Reading) {
  const { db, actors, search } = reading
  const popular = createPopularRecords({ db, actors })
  // The frontend resolves names itself.
  const known = createKnownNames(reading)
  const parts = { ...reading, names: { known, find: known } }
  return {
    async actors({ q, limit, cursor, viewer = '' }: SearchRequest & { viewer?: string }) {
      const uid = viewer === '' ? 0 : actors.uidOf(viewer)
      const range = { limit: pageSize(limit), cursor: cursorOf(cursor) }
      const page = await findActors(reading, { q, viewer: uid, ...range }, FRONTEND)
      return { dids: page.items.map((uid) => actors.didOf(uid)), cursor: page.cursor }
    },

    /** `params` are those of searchPosts. The default sort is the reference's, latest first. */
    async posts(params: PostSearchParams, { limit, cursor, viewer = '' }: Page) {
      const uid = viewer === '' ? 0 : actors.uidOf(viewer)
      const requested = await postSearch(
        parts,
        uid === 0 ? undefined : { uid, did: viewer },
        params,
      )
      if (!requested) return { uris: [], cursor: undefined, count: () => 0 }
      const range = { limit: pageSize(limit), cursor: cursorOf(cursor) }
      const page = await search.posts({ ...requested, ...range }, FRONTEND)
      const uris = reading.postUris(page.items)
      const { match, since, until, authors } = requested
      return {
        uris: page.items.flatMap((id) => uris.get(id) ?? []),
        cursor: page.cursor,
        // Hits by some authors can't be counted without reading them.
        count: () => (authors ? page.items.length : search.hits({ match, since, until }, FRONTEND)),
      }
    },

    records(collection: RecordCollection, { q, limit, cursor }: SearchRequest) {
      const request = { collection, limit: pageSize(limit), cursor: cursorOf(cursor) }
      const found =
        q.trim() === ''
          ? popular(request)
          : namedRecords(reading, { ...request, query: q }, FRONTEND)
      return andThen(found, ({ items, cursor: next }) => ({ uris: items, cursor: next }))
    },
  }
}

export function searchRpcs(reading: Reading, searches: Searches): Rpcs {
  const requestOf = (params: Params | undefined): SearchRequest => ({
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
    async searchPosts({ term, ...page }) {
      const { uris, cursor } = await searches.posts(ofSearchPosts({ q: term }), page)
      return { uris, cursor }
    },
    searchStarterPacks: (request) => searches.records(PACK, termed(request)),
    async searchFeedGenerators({ query, limit }) {
      const { uris } = await searches.records(GENERATOR, { q: query, limit })
      return { uris }
    },
    async searchActorsTypeahead({ params }) {
      const { dids } = await searches.actors({ ...requestOf(params), cursor: undefined })
      return { actors: dids.map(didHit) }
    },
    async searchActorsV2({ params }) {
      const { dids, cursor } = await searches.actors(requestOf(params))
      return { actors: dids.map(didHit), pageInfo: pageInfo(cursor) }
    },
    async searchPostsV2(request) {
      const { viewer, limit, cursor } = request.params ?? {}
      const page = { limit: limit || 25, cursor, viewer }
      const { uris, count, ...found } = await searches.posts(ofV2(reading, request), page)
      const { cursor: next = '' } = found
      return {
        posts: uris.map(uriHit),
        pageInfo: { cursor: next, hitsTotal: BigInt(await count()) },
      }
    },
    async searchStarterPacksV2({ params }) {
      const { uris, cursor } = await searches.records(PACK, requestOf(params))
      return { starterPacks: uris.map(uriHit), pageInfo: pageInfo(cursor) }
    },
    async searchFeedGeneratorsV2({ params }) {
      const { uris, cursor } = await searches.records(GENERATOR, requestOf(params))
      return { feedGenerators: uris.map(uriHit), pageInfo: pageInfo(cursor) }
    },
    ...suggestionRpcs(reading, searches),
  }
}

function suggestionRpcs(reading: Reading, searches: Searches): Rpcs {
  const { actors, graph, db } = reading
  const suggestions = createSuggestions({ graph, actors })
  return {
    getSuggestedFeeds: ({ limit, cursor }) => searches.records(GENERATOR, { q: '', limit, cursor }),

    getFollowSuggestions({ actorDid, relativeToDid, limit, cursor }) {
      const viewer = actors.uidOf(actorDid)
      const relativeTo = relativeToDid === '' ? 0 : actors.uidOf(relativeToDid)
      const found =
        relativeToDid === ''
          ? suggestions.forViewer(viewer)
          : relativeTo === 0
            ? []
            : suggestions.relativeTo(relativeTo, viewer)
      const hidden = notRecommendedTo({ db, graph }, viewer, found)
      const uids = found.filter((uid) => !hidden.has(uid))
      const start = /^\d{1,6}$/.test(cursor) ? Number(cursor) : 0
      const end = start + Math.min(pageSize(limit), MAX_SUGGESTED)
      const dids = uids.slice(start, end).map((uid) => actors.didOf(uid))
      return { dids, cursor: end < uids.length ? String(end) : '' }
    },
  }
}

/** Parameters of searchPostsV2. */
function ofV2(reading: Reading, request: SearchPostsV2Request): PostSearchParams {
  const { params, filters, exclude, since, until, sort, queryLanguage: _, ...further } = request
  const postIdOf = (uri: string) => reading.postsByUri([uri]).get(uri)?.id ?? 0
  const time = (timestamp: Timestamp | undefined) => timestamp && isoOf(timestamp)
  const requested = {
    ...further,
    query: params?.query ?? '',
    since: time(since),
    until: time(until),
    sort: sort === SearchSortOrder.RECENT ? 'recent' : 'top',
  }
  const { included } = ofSearchPostsV2({ ...filters }, postIdOf)
  const { included: excluded } = ofSearchPostsV2({ ...exclude }, postIdOf)
  return { ...ofSearchPostsV2(requested, postIdOf), included, excluded }
}

/** @throws ConnectError for an invalid time */
function isoOf(time: Timestamp): string {
  const date = timestampDate(time)
  if (Number.isNaN(date.getTime())) throw unfit('not a valid time')
  return date.toISOString()
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
