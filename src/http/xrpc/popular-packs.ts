// The starter packs that most people here like, as two methods show them. Those of somebody in a block with
// the viewer are left out.

import { viewerBlocks } from '../../answers/views/rules.ts'
import { starterPackView } from '../../answers/views/starter-pack-view.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method } from '../server/method.ts'
import { type AppContext, viewerOf } from './app-context.ts'

export function popularPacks(serving: AppContext, nsid: string): Method<{ limit: number }> {
  const { hydrator, popularRecords, fetchRequests } = serving
  return {
    nsid,
    kind: 'query',
    auth: 'optional',
    partly: 'the most liked that are indexed here',
    handler: (context) => {
      const { limit } = context.params
      const viewer = viewerOf(serving.actors, context.viewer)
      const collection = 'app.bsky.graph.starterpack'
      const { uris } = popularRecords({ collection, limit, cursor: undefined })
      const state = hydrator.records(uris, viewer, { content: true })
      fetchRequests.afterProfiles(state)
      const shown = uris.filter((uri) => !viewerBlocks(state, state.records.get(uri)?.uid ?? 0))
      const views = shown.map((uri) => starterPackView(state, uri))
      const starterPacks = views.filter((view) => view !== undefined)
      return { body: { starterPacks }, headers: labelerHeaders(context) }
    },
  }
}
