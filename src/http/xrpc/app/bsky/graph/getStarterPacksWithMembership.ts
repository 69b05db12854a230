// app.bsky.graph.getStarterPacksWithMembership: the viewer's own starter packs, and in which of them an
// account is.

import type { AppBskyGraphGetStarterPacksWithMembership } from '@atproto/api'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { listItemView, starterPackView } from '../../../../../answers/views/starter-pack-view.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen, type NamedActor } from '../../../actor-names.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'

type Params = AppBskyGraphGetStarterPacksWithMembership.QueryParams & { limit: number }

export function getStarterPacksWithMembership(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.graph.getStarterPacksWithMembership',
    kind: 'query',
    auth: 'required',
    handler: (context) =>
      andThen(serving.names.find(context.params.actor), (found) => answer(serving, context, found)),
  }
}

function answer(
  serving: AppContext,
  context: MethodContext<Params>,
  found: NamedActor | undefined,
): MethodResult {
  if (!found) throw invalidRequest('Profile not found')
  const { limit, cursor } = context.params
  const headers = labelerHeaders(context)
  if (isRetiredCursor(cursor)) return { body: { starterPacksWithMembership: [] }, headers }
  const page = fillPage({ limit, cursor }, (from, count) =>
    readPage(serving, { viewer: context.viewer!, subject: found.uid, limit: count, cursor: from }),
  )
  return { body: { starterPacksWithMembership: page.items, cursor: page.cursor }, headers }
}

function readPage(
  { actors, hydrator, ownRecords }: AppContext,
  page: { viewer: string; subject: number; limit: number; cursor: string | undefined },
) {
  const { subject, limit, cursor } = page
  const viewer = viewerOf(actors, page.viewer)
  const collection = 'app.bsky.graph.starterpack'
  const skeleton = ownRecords({ uid: viewer.uid, collection, limit, cursor })
  const state = hydrator.records(skeleton.uris, viewer, { content: true, alsoProfile: subject })
  const memberships = hydrator.memberships(state, subject)
  const items = skeleton.uris.flatMap((uri) => {
    const starterPack = starterPackView(state, uri)
    if (!starterPack) return []
    const item = memberships.get(uri)
    const listItem = item === undefined ? undefined : listItemView(state, { uri: item, subject })
    return [{ starterPack, listItem }]
  })
  return { items, cursor: skeleton.cursor }
}
