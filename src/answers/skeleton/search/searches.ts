// All searches: by words of posts, names of accounts, and names of records. Request and answer are plain data,
// so that a search can run on a thread of its own (http/serve/search-thread.ts) or in the caller's.

import type { CallTime } from '../../../base/util/turn.ts'
import type { Db } from '../../../data/store/db.ts'
import { createNamedRecords, type NamedRequest, type RecordKey } from '../popular-records.ts'
import type { SkeletonPage } from '../skeleton-page.ts'
import { type ActorSearchRequest, createActorSearch } from './actors.ts'
import {
  createPostSearch,
  type PostHitsRequest,
  type PostSearchPage,
  type PostSearchRequest,
} from './posts.ts'

type Kinds = {
  /** A page of posts.id. */
  posts: { request: PostSearchRequest; found: PostSearchPage }
  /** The number of posts, up to a few thousand. */
  hits: { request: PostHitsRequest; found: number }
  /** A page of accounts. */
  actors: { request: ActorSearchRequest; found: SkeletonPage<number> }
  /** A page of feed generators or starter packs. */
  records: { request: NamedRequest; found: SkeletonPage<RecordKey> }
}

export type SearchKind = keyof Kinds
export type SearchRequest<K extends SearchKind = SearchKind> = Kinds[K]['request']
export type SearchFound<K extends SearchKind = SearchKind> = Kinds[K]['found']

/** The call that searches. */
export type SearchCall = {
  /** Who has a turn; unset: there are no limits. */
  who?: { rank: 'member' | 'program' | 'visitor'; key: string } | undefined
  /** Is charged for the search. */
  time?: Pick<CallTime, 'addElsewhere'> | undefined
}

/** Searches where they are asked for; @throws BadCursorError */
type Searches = { readonly [K in SearchKind]: (request: SearchRequest<K>) => SearchFound<K> }

/** The same, maybe elsewhere and later. */
export type Searching = {
  readonly [K in SearchKind]: (
    request: SearchRequest<K>,
    call: SearchCall,
  ) => SearchFound<K> | Promise<SearchFound<K>>
}

export function createSearches(db: Db): Searches {
  const { page, count } = createPostSearch(db)
  return {
    posts: page,
    hits: count,
    actors: createActorSearch(db),
    records: createNamedRecords(db),
  }
}
