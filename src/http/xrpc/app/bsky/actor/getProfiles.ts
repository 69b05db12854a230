// app.bsky.actor.getProfiles: accounts in detail. Those that can't be shown are left out.

import type { AppBskyActorGetProfiles } from '@atproto/api'
import { profileViewDetailed } from '../../../../../answers/views/profile-view-detailed.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { profilesAwaited } from '../../../profiles-awaited.ts'
import { withoutUnknownCounts } from '../../../unknown-counts.ts'

export function getProfiles(serving: AppContext): Method<AppBskyActorGetProfiles.QueryParams> {
  const { actors, names } = serving
  return {
    nsid: 'app.bsky.actor.getProfiles',
    kind: 'query',
    auth: 'optional',
    readAfterWrite: true,
    acceptsLxm: (lxm) => lxm.startsWith('chat.bsky.'),
    handler: async (context) => {
      const viewer = viewerOf(actors, context.viewer)
      const named = await Promise.all(context.params.actors.map((actor) => names.find(actor)))
      const found = named.filter((actor) => actor !== undefined)
      const { signal } = context
      const state = await profilesAwaited(serving, found, { viewer, signal })
      const profiles = found
        .map(({ did }) => profileViewDetailed(state, actors.uidOf(did)))
        .filter((view) => view !== undefined)
        .map((view) => withoutUnknownCounts(serving, view))
      return { body: { profiles }, headers: labelerHeaders(context) }
    },
  }
}
