// app.bsky.actor.getProfile: one account in detail, with known followers where somebody asks.

import type { AppBskyActorGetProfile } from '@atproto/api'
import type { HiddenAs } from '../../../../../answers/hydrate/types.ts'
import { profileViewDetailed } from '../../../../../answers/views/profile-view-detailed.ts'
import { invalidRequest, type XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { profilesAwaited } from '../../../profiles-awaited.ts'
import { withoutUnknownCounts } from '../../../unknown-counts.ts'

export function getProfile(serving: AppContext): Method<AppBskyActorGetProfile.QueryParams> {
  const { actors, names } = serving
  return {
    nsid: 'app.bsky.actor.getProfile',
    kind: 'query',
    auth: 'optional',
    readAfterWrite: true,
    handler: async (context) => {
      const viewer = viewerOf(actors, context.viewer)
      const found = await names.find(context.params.actor)
      const { signal } = context
      const state = await profilesAwaited(serving, found ? [found] : [], { viewer, signal })
      const actor = state.actors.get(found ? actors.uidOf(found.did) : 0)
      if (!actor) throw invalidRequest('Profile not found')
      if (actor.hiddenAs) throw hiddenError(actor.hiddenAs)
      const view = profileViewDetailed(state, actor.uid)
      const body = view && withoutUnknownCounts(serving, view)
      return { body, headers: labelerHeaders(context) }
    },
  }
}

/** The reference tells a client why a profile is away. */
function hiddenError(hiddenAs: HiddenAs): XRPCError {
  if (hiddenAs === 'deleted') return invalidRequest('Profile not found')
  if (hiddenAs === 'deactivated') {
    return invalidRequest('Account is deactivated', 'AccountDeactivated')
  }
  return invalidRequest('Account has been suspended', 'AccountTakedown')
}
