// app.bsky.actor.getProfile: one account in detail, with known followers where somebody asks.

import type { AppBskyActorGetProfile } from '@atproto/api'
import type { HiddenAs } from '../../../../hydrate/types.ts'
import { profileViewDetailed } from '../../../../views/profile-view-detailed.ts'
import { labelerHeaders } from '../../../answer-headers.ts'
import { invalidRequest, type XRPCError } from '../../../errors.ts'
import type { Method } from '../../../method.ts'
import { type Serving, viewerOf } from '../../../serving.ts'

export function getProfile(serving: Serving): Method<AppBskyActorGetProfile.QueryParams> {
  const { actors, hydrator, names, wanted } = serving
  return {
    nsid: 'app.bsky.actor.getProfile',
    kind: 'query',
    auth: 'optional',
    readAfterWrite: true,
    handler: async (context) => {
      const viewer = viewerOf(actors, context.viewer)
      const found = await names.find(context.params.actor)
      const uids = found?.uid ? [found.uid] : []
      const state = hydrator.profiles(uids, viewer, { detailed: true, knownFollowers: true })
      const actor = state.actors.get(found?.uid ?? 0)
      if (!found || !actor) {
        wanted.ask(viewer, { dids: found ? [found.did] : [] })
        throw invalidRequest('Profile not found')
      }
      if (actor.hiddenAs) throw hiddenError(actor.hiddenAs)
      wanted.afterProfiles(state)
      const body = profileViewDetailed(state, actor.uid)
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
