// The starter packs most liked here, as two methods show them. Leaves out those by accounts in a block with
// the viewer.

import { starterPackView } from '../../../answers/views/starter-pack-view.ts'
import type { Call } from '../call.ts'
import { type MethodDefinition, query } from '../define.ts'
import { creatorNotBlocked, records } from '../paging/present.ts'

const COLLECTION = 'app.bsky.graph.starterpack'
const present = records({ content: true, filter: creatorNotBlocked, view: starterPackView })

export function popularPacks(nsid: string): MethodDefinition {
  const options = { auth: 'optional', partly: 'the most liked that are indexed here' } as const
  return query(nsid, options, (app, call: Call<{ limit: number }>) => {
    const { limit } = call.params
    const { items } = app.popularRecords({ collection: COLLECTION, limit, cursor: undefined })
    const views = present(app, items, { call })
    return { body: { starterPacks: views.filter((view) => view !== undefined) } }
  })
}
