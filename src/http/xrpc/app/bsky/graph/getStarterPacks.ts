// app.bsky.graph.getStarterPacks: starter packs by at-URI, without their content.

import type { AppBskyGraphGetStarterPacks } from '@atproto/api'
import { starterPackViewBasic } from '../../../../../answers/views/starter-pack-view.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

export function getStarterPacks(
  serving: AppContext,
): Method<AppBskyGraphGetStarterPacks.QueryParams> {
  const { actors, hydrator, fetchRequests } = serving
  return {
    nsid: 'app.bsky.graph.getStarterPacks',
    kind: 'query',
    auth: 'optional',
    handler: (context) => {
      const { uris } = context.params
      const viewer = viewerOf(actors, context.viewer)
      const state = hydrator.records(uris, viewer)
      fetchRequests.afterProfiles(state)
      fetchRequests.ask(viewer, { uris: uris.filter((uri) => !state.records.has(uri)) })
      const views = uris.map((uri) => starterPackViewBasic(state, uri))
      const starterPacks = views.filter((view) => view !== undefined)
      return { body: { starterPacks }, headers: labelerHeaders(context) }
    },
  }
}
