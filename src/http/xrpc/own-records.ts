// getActorFeeds and getActorStarterPacks: what an account made, of one kind.

import type { ProfileState } from '../../answers/hydrate/types.ts'
import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import type { RecordCollection } from '../../base/atproto/collections.ts'
import { invalidRequest } from '../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../server/method.ts'
import { andThen, type NamedActor } from './actor-names.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { fillPage } from './fill-page.ts'

type Params = { actor: string; limit: number; cursor?: string }

export function ownRecords<View>(
  serving: AppContext,
  options: {
    nsid: string
    collection: RecordCollection
    view: (state: ProfileState, uri: string) => View | undefined
    body: (views: View[], cursor: string | undefined) => unknown
  },
): Method<Params> {
  const { hydrator, fetchRequests } = serving
  const { nsid, collection, view, body } = options

  function answer(context: MethodContext<Params>, found: NamedActor | undefined): MethodResult {
    const { limit, cursor } = context.params
    const headers = labelerHeaders(context)
    if (isRetiredCursor(cursor)) return { body: body([], undefined), headers }
    if (!found) throw invalidRequest('Profile not found')
    const { uid } = found
    const viewer = viewerOf(serving.actors, context.viewer)
    const page = fillPage({ limit, cursor }, (from, count) => {
      const request = { uid, collection, limit: count, cursor: from }
      const { uris, cursor: next } = serving.ownRecords(request)
      const state = hydrator.records(uris, viewer)
      fetchRequests.afterProfiles(state)
      const views = uris.map((uri) => view(state, uri)).filter((one) => one !== undefined)
      return { items: views, cursor: next }
    })
    return { body: body(page.items, page.cursor), headers }
  }

  return {
    nsid,
    kind: 'query',
    auth: 'optional',
    handler: (context) =>
      andThen(serving.names.find(context.params.actor), (found) => answer(context, found)),
  }
}
