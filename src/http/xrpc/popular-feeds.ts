// The feeds most liked here, as three methods show them; `query` matches part of the name.

import { generatorView } from '../../answers/views/generator-view.ts'
import type { Call } from './call.ts'
import type { MethodDefinition } from './define.ts'
import { type PagePart, pagedMethod } from './paged-method.ts'
import { records } from './present.ts'

type Part = PagePart<Call<{ query?: string }>, unknown>

const COLLECTION = 'app.bsky.feed.generator'

export function popularFeeds(nsid: string): MethodDefinition {
  return pagedMethod(
    nsid,
    { auth: 'optional', partly: 'the most liked that are indexed here' },
    {
      skeleton: ({ popularRecords }, { call, place }: Part) =>
        popularRecords({ collection: COLLECTION, query: call.params.query, ...place }),
      present: records({ view: generatorView }),
      body: 'feeds',
    },
  )
}
