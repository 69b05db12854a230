// app.bsky.actor.getProfiles: accounts in detail. Leaves out those that can't be shown.

import { profileViewDetailed } from '../../../../../answers/views/profiles/profile-view-detailed.ts'
import { inTurn } from '../../../../../base/util/turn.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { findSome } from '../../../naming/actor-names.ts'
import { withoutUnknownCounts } from '../../../strangers/unknown-counts.ts'
import { profilesAwaited } from '../../../waiting/profiles-awaited.ts'

export const getProfiles = query(
  'app.bsky.actor.getProfiles',
  { auth: 'optional', readAfterWrite: true, acceptsLxm: (lxm) => lxm.startsWith('chat.bsky.') },
  async (app, call: Call<{ actors: string[] }>) => {
    const named = await findSome(app.names, call.params.actors, call)
    const found = named.filter((actor) => actor !== undefined)
    const unknown = found.filter(({ uid }) => uid === 0)
    call.reader.missing.add({ dids: unknown.map(({ did }) => did) })
    const state = await profilesAwaited(app, found, call)
    const profiles = await inTurn(call, () =>
      found
        .map(({ did }) => profileViewDetailed(state, app.actors.uidOf(did)))
        .filter((view) => view !== undefined)
        .map((view) => withoutUnknownCounts(app, view)),
    )
    return { body: { profiles } }
  },
)
