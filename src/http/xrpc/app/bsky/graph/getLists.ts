// app.bsky.graph.getLists: the lists that an account made, latest first.

import type { AppBskyGraphGetLists } from '@atproto/api'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { listView } from '../../../../../answers/views/list-view.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen, type NamedActor } from '../../../actor-names.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'
import { ofPurpose } from '../../../list-purposes.ts'

type Params = Pick<AppBskyGraphGetLists.QueryParams, 'actor' | 'cursor'> & {
  limit: number
  purposes?: string[]
}

export function getLists(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.graph.getLists',
    kind: 'query',
    auth: 'optional',
    handler: (context) =>
      andThen(serving.names.find(context.params.actor), (found) => answer(serving, context, found)),
  }
}

function answer(
  { actors, hydrator, listPages, fetchRequests }: AppContext,
  context: MethodContext<Params>,
  found: NamedActor | undefined,
): MethodResult {
  const { limit, cursor, purposes } = context.params
  const headers = labelerHeaders(context)
  if (isRetiredCursor(cursor)) return { body: { lists: [] }, headers }
  if (!found) throw invalidRequest('Profile not found')
  const viewer = viewerOf(actors, context.viewer)
  if (found.uid === 0) fetchRequests.ask(viewer, { dids: [found.did] })
  const page = fillPage({ limit, cursor }, (from, count) => {
    const request = { actor: found.uid, limit: count, cursor: from }
    const { ids, cursor: next } = listPages.ofCreator(request)
    const state = hydrator.lists(ids, viewer)
    const views = ofPurpose(state, ids, purposes).map((id) => listView(state, id))
    return { items: views.filter((view) => view !== undefined), cursor: next }
  })
  return { body: { lists: page.items, cursor: page.cursor }, headers }
}
