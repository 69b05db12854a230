// app.bsky.graph.getListsWithMembership: the viewer's own lists, and whether the actor is on them.

import type { AppBskyGraphGetListsWithMembership } from '@atproto/api'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { listView } from '../../../../../answers/views/list-view.ts'
import { ReadyJson } from '../../../../../answers/views/ready-json.ts'
import { recordUri } from '../../../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../../../base/atproto/keys.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen, type NamedActor } from '../../../actor-names.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'
import { ofPurpose } from '../../../list-purposes.ts'

type Params = Pick<AppBskyGraphGetListsWithMembership.QueryParams, 'actor' | 'cursor'> & {
  limit: number
  purposes?: string[]
}

export function getListsWithMembership(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.graph.getListsWithMembership',
    kind: 'query',
    auth: 'required',
    handler: (context) =>
      andThen(serving.names.find(context.params.actor), (found) => answer(serving, context, found)),
  }
}

function answer(
  { actors, viewCache, hydrator, listPages, fetchRequests }: AppContext,
  context: MethodContext<Params>,
  found: NamedActor | undefined,
): MethodResult {
  const { limit, cursor, purposes } = context.params
  const headers = labelerHeaders(context)
  if (!found) throw invalidRequest('Profile not found')
  if (isRetiredCursor(cursor)) return { body: { listsWithMembership: [] }, headers }
  const viewer = viewerOf(actors, context.viewer!)
  if (found.uid === 0) fetchRequests.ask(viewer, { dids: [found.did] })
  const [profile] = found.uid === 0 ? [] : viewCache.profiles([found.uid], viewer)
  const subject = profile === undefined ? undefined : new ReadyJson([profile])
  const page = fillPage({ limit, cursor }, (from, count) => {
    const request = { actor: viewer.uid, limit: count, cursor: from }
    const { ids, cursor: next } = listPages.ofCreator(request)
    const state = hydrator.lists(ids, viewer)
    const shown = ofPurpose(state, ids, purposes)
    const keys = subject ? listPages.memberships(shown, found.uid) : new Map<number, string>()
    const items = shown.flatMap((id) => {
      const list = listView(state, id)
      const listItem = itemOf(viewer.did, keys.get(id), subject)
      return list ? [{ list, listItem }] : []
    })
    return { items, cursor: next }
  })
  return { body: { listsWithMembership: page.items, cursor: page.cursor }, headers }
}

function itemOf(did: string, rkey: string | undefined, subject: ReadyJson | undefined) {
  if (rkey === undefined || !subject) return undefined
  return { uri: recordUri(did, 'app.bsky.graph.listitem', packRkey(rkey)), subject }
}
