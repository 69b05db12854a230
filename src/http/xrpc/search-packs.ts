// Starter packs by name, as the two versions of the method show them: one with their content, one
// without. Those of somebody in a block with the viewer are left out. There are few enough of them to be
// looked through (answers/skeleton/popular-records.ts).

import type { ProfileState } from '../../answers/hydrate/types.ts'
import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import { viewerBlocks } from '../../answers/views/rules.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method } from '../server/method.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { fillPage } from './fill-page.ts'

const COLLECTION = 'app.bsky.graph.starterpack'

export function searchPacks<View>(
  { actors, hydrator, popularRecords }: AppContext,
  options: {
    nsid: string
    /** With what only the whole view shows. */
    content: boolean
    view: (state: ProfileState, uri: string) => View | undefined
  },
): Method<{ q: string; limit: number; cursor?: string }> {
  const { nsid, content, view } = options
  return {
    nsid,
    kind: 'query',
    auth: 'optional',
    partly: 'by a part of the name, among those indexed here',
    handler: (context) => {
      const { q, limit, cursor } = context.params
      const viewer = viewerOf(actors, context.viewer)
      const headers = labelerHeaders(context)
      if (isRetiredCursor(cursor) || q.trim() === '') return { body: { starterPacks: [] }, headers }
      const page = fillPage({ limit, cursor }, (from, count) => {
        const request = { collection: COLLECTION, query: q, limit: count, cursor: from } as const
        const { uris, cursor: next } = popularRecords(request)
        const state = hydrator.records(uris, viewer, { content })
        const shown = uris.filter((uri) => !viewerBlocks(state, state.records.get(uri)?.uid ?? 0))
        const views = shown.map((uri) => view(state, uri))
        return { items: views.filter((one) => one !== undefined), cursor: next }
      })
      return { body: { starterPacks: page.items, cursor: page.cursor }, headers }
    },
  }
}
