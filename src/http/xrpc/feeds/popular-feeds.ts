// The feeds most liked here, as three methods show them; `query` matches part of the name.

import type { SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { generatorView } from '../../../answers/views/generator-view.ts'
import type { Call } from '../call.ts'
import type { MethodDefinition, Needs } from '../define.ts'
import { namedRecords } from '../naming/named-records.ts'
import type { PagePart } from '../paging/paged-method.ts'
import { records } from '../paging/present.ts'
import { searchedMethod } from '../search/searched-method.ts'
import type { MaybeLater } from '../waiting/maybe-later.ts'

type Part = PagePart<Call<{ query?: string }>, unknown>

const COLLECTION = 'app.bsky.feed.generator'

export function popularFeeds(nsid: string): MethodDefinition {
  return searchedMethod(
    nsid,
    { auth: 'optional', partly: 'the most liked that are indexed here' },
    {
      skeleton: found,
      present: records({ view: generatorView }),
      body: 'feeds',
    },
  )
}

function found(
  app: Needs<'actors' | 'popularRecords' | 'search'>,
  { call, place }: Part,
): MaybeLater<SkeletonPage<string>> {
  const { query = '' } = call.params
  const request = { collection: COLLECTION, ...place } as const
  if (query.trim() === '') return app.popularRecords(request)
  return namedRecords(app, { ...request, query }, call)
}
