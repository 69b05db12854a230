// The feeds that are made here, then those most liked here, as three methods show them; `query` matches part of the
// name, of the liked ones alone.

import type { SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import type { MaybeLater } from '../../../base/util/turn.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import type { MethodDefinition, Needs } from '../define.ts'
import { namedRecords } from '../naming/named-records.ts'
import type { PagePart } from '../paging/paged-method.ts'
import { hydrated } from '../paging/present.ts'
import { searchedMethod } from '../search/searched-method.ts'
import { visibleGenerator } from './visible-generators.ts'

type Part = PagePart<Call<{ limit: number; query?: string }>, unknown>

const COLLECTION = 'app.bsky.feed.generator'

export function popularFeeds(nsid: string): MethodDefinition {
  return searchedMethod(
    nsid,
    { auth: 'optional', partly: 'the most liked that are indexed here' },
    {
      skeleton: found,
      present: (app, uris, page) =>
        hydrated({
          hydrate: ({ hydrator }, wanted: readonly string[], reader) =>
            hydrator.records(wanted, reader),
          view: (state, uri) => visibleGenerator(app, { state, uri, reader: page.call.reader }),
        })(app, uris, page),
      body: 'feeds',
    },
  )
}

function found(
  app: Needs<'actors' | 'popularRecords' | 'search' | 'ownFeeds'>,
  { call, range }: Part,
): MaybeLater<SkeletonPage<string>> {
  const { limit, query = '' } = call.params
  const request = { collection: COLLECTION, ...range } as const
  if (query.trim() === '') return withOwn(app, request, limit)
  return namedRecords(app, { ...request, query }, call)
}

/** On the first page, ours come first; a page of one is too small for that. */
function withOwn(
  { popularRecords, ownFeeds }: Needs<'popularRecords' | 'ownFeeds'>,
  request: Parameters<AppContext['popularRecords']>[0],
  pageSize: number,
): SkeletonPage<string> {
  const own = pageSize === 1 ? [] : ownFeeds.all().flatMap(({ addresses }) => addresses)
  const first = request.cursor === undefined ? own.slice(0, request.limit - 1) : []
  const further = request.limit - first.length
  const { items, ...rest } = popularRecords({ ...request, limit: further })
  return { ...rest, items: [...first, ...items.filter((uri) => !own.includes(uri))] }
}
