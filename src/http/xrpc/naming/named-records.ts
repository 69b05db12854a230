import { type NamedRequest, urisOf } from '../../../answers/skeleton/popular-records.ts'
import type { SearchCall, Searching } from '../../../answers/skeleton/search/searches.ts'
import type { SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { ActorReader } from '../../../data/graph/types.ts'

type Dependencies = { search: Pick<Searching, 'records'>; actors: Pick<ActorReader, 'didOf'> }

/** A page of at-URIs. */
export function namedRecords(
  { search, actors }: Dependencies,
  request: NamedRequest,
  call: SearchCall,
): MaybeLater<SkeletonPage<string>> {
  const found = search.records(request, call)
  return andThen(found, (page) => urisOf(actors, request.collection, page))
}
