// The feeds that most people here like, as three methods show them.

import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import { generatorView } from '../../answers/views/generator-view.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method } from '../server/method.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { fillPage } from './fill-page.ts'

type Params = { limit: number; cursor?: string; query?: string }

/** By likes; `query` looks for a part of the name. */
export function popularFeeds(serving: AppContext, nsid: string): Method<Params> {
  const { hydrator, popularRecords, fetchRequests } = serving
  return {
    nsid,
    kind: 'query',
    auth: 'optional',
    partly: 'the most liked that are indexed here',
    handler: (context) => {
      const { limit, cursor, query } = context.params
      const headers = labelerHeaders(context)
      if (isRetiredCursor(cursor)) return { body: { feeds: [] }, headers }
      const viewer = viewerOf(serving.actors, context.viewer)
      const page = fillPage({ limit, cursor }, (from, count) => {
        const collection = 'app.bsky.feed.generator'
        const found = popularRecords({ collection, query, limit: count, cursor: from })
        const state = hydrator.records(found.uris, viewer)
        fetchRequests.afterProfiles(state)
        const views = found.uris.map((uri) => generatorView(state, uri))
        return { items: views.filter((view) => view !== undefined), cursor: found.cursor }
      })
      return { body: { feeds: page.items, cursor: page.cursor }, headers }
    },
  }
}
