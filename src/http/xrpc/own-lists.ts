// getListMutes and getListBlocks: the lists by which the viewer mutes or blocks.

import type { ListsPage, ListsRequest } from '../../answers/skeleton/list-pages.ts'
import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import { listView } from '../../answers/views/list-view.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method } from '../server/method.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { fillPage } from './fill-page.ts'

type Params = { limit: number; cursor?: string }

export function ownLists(
  { actors, hydrator, fetchRequests }: AppContext,
  { nsid, read }: { nsid: string; read: (request: ListsRequest) => ListsPage },
): Method<Params> {
  return {
    nsid,
    kind: 'query',
    auth: 'required',
    handler: (context) => {
      const { limit, cursor } = context.params
      const viewer = viewerOf(actors, context.viewer!)
      const headers = labelerHeaders(context)
      if (isRetiredCursor(cursor)) return { body: { lists: [] }, headers }
      const page = fillPage({ limit, cursor }, (from, count) => {
        const { ids, cursor: next } = read({ actor: viewer.uid, limit: count, cursor: from })
        const state = hydrator.lists(ids, viewer)
        fetchRequests.afterProfiles(state)
        const views = ids.map((id) => listView(state, id))
        return { items: views.filter((view) => view !== undefined), cursor: next }
      })
      return { body: { lists: page.items, cursor: page.cursor }, headers }
    },
  }
}
