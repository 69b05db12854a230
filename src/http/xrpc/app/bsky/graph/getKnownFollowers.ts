// app.bsky.graph.getKnownFollowers: those whom the viewer follows and who follow the actor. Stable
// order and real pages, see answers/skeleton/known-followers.ts.

import type { AppBskyGraphGetKnownFollowers } from '@atproto/api'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen, type NamedActor } from '../../../actor-names.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'
import { visibleSubject } from '../../../visible-subject.ts'

type Params = AppBskyGraphGetKnownFollowers.QueryParams & { limit: number }

export function getKnownFollowers(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.graph.getKnownFollowers',
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
  const { actor, limit, cursor } = context.params
  const viewer = viewerOf(serving.actors, context.viewer!)
  const { uid, view: subject } = visibleSubject(serving, { actor, found }, viewer)
  const headers = labelerHeaders(context)
  if (isRetiredCursor(cursor)) return { body: { subject, followers: [] }, headers }
  const page = fillPage({ limit, cursor }, (from, count) => {
    const request = { viewer: viewer.uid, subject: uid, limit: count, cursor: from }
    const { uids, cursor: next } = serving.knownFollowers.page(request)
    const views = serving.viewCache.profiles(uids, viewer, { isShown: isUnblocked })
    return { items: views.filter((view) => view !== undefined), cursor: next }
  })
  return { body: { subject, followers: readyArray(page.items), cursor: page.cursor }, headers }
}

function isUnblocked(_: number, { blocks }: { blocks: boolean }): boolean {
  return !blocks
}
