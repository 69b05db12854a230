// app.bsky.actor.getProfiles: accounts in detail. Those that can't be shown are left out.

import type { AppBskyActorGetProfiles } from '@atproto/api'
import { profileViewDetailed } from '../../../../views/profile-view-detailed.ts'
import { labelerHeaders } from '../../../answer-headers.ts'
import type { Method } from '../../../method.ts'
import { type Serving, viewerOf } from '../../../serving.ts'

export function getProfiles(serving: Serving): Method<AppBskyActorGetProfiles.QueryParams> {
  const { actors, hydrator, names, wanted } = serving
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
      const uids = found.map(({ uid }) => uid).filter((uid) => uid !== 0)
      const state = hydrator.profiles(uids, viewer, { detailed: true, knownFollowers: true })
      wanted.afterProfiles(state)
      wanted.ask(viewer, { dids: found.filter(({ uid }) => uid === 0).map(({ did }) => did) })
      const profiles = uids
        .map((uid) => profileViewDetailed(state, uid))
        .filter((view) => view !== undefined)
      return { body: { profiles }, headers: labelerHeaders(context) }
    },
  }
}
