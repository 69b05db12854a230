// app.bsky.graph.getSuggestedFollowsByActor: whom else the followers of an account follow.

import type { AppBskyGraphGetSuggestedFollowsByActor } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen, type NamedActor } from '../../../actor-names.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { suggestedViews } from '../../../suggested-accounts.ts'

type Params = AppBskyGraphGetSuggestedFollowsByActor.QueryParams

const SHOWN = 10

export function getSuggestedFollowsByActor(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.graph.getSuggestedFollowsByActor',
    kind: 'query',
    auth: 'optional',
    handler: (context) =>
      andThen(serving.names.find(context.params.actor), (found) => answer(serving, context, found)),
  }
}

function answer(
  serving: AppContext,
  context: MethodContext<Params>,
  found: NamedActor | undefined,
): MethodResult {
  if (!found) throw invalidRequest('Actor not found')
  const viewer = viewerOf(serving.actors, context.viewer)
  const uids = found.uid === 0 ? [] : serving.suggestions.relativeTo(found.uid, viewer?.uid ?? 0)
  const views = suggestedViews(serving, uids.slice(0, SHOWN * 2), { viewer, withFollowers: true })
  return { body: { suggestions: views.slice(0, SHOWN) }, headers: labelerHeaders(context) }
}
