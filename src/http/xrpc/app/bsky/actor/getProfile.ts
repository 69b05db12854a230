// app.bsky.actor.getProfile: one account in detail, with known followers if the caller is signed in.

import type { HiddenAs } from '../../../../../answers/hydrate/types.ts'
import { profileViewDetailed } from '../../../../../answers/views/profiles/profile-view-detailed.ts'
import { invalidRequest, type XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { withoutUnknownCounts } from '../../../strangers/unknown-counts.ts'
import { profilesAwaited } from '../../../waiting/profiles-awaited.ts'

export const getProfile = query(
  'app.bsky.actor.getProfile',
  { auth: 'optional', readAfterWrite: true },
  async (app, call: Call<{ actor: string }>) => {
    const found = await app.names.find(call.params.actor, call)
    if (found?.uid === 0) call.reader.missing.add({ dids: [found.did] })
    const state = await profilesAwaited(app, found ? [found] : [], call)
    const actor = state.actors.get(found ? app.actors.uidOf(found.did) : 0)
    if (!actor) throw invalidRequest('Profile not found')
    if (actor.hiddenAs) throw hiddenError(actor.hiddenAs)
    const view = profileViewDetailed(state, actor.uid)
    return { body: view && withoutUnknownCounts(app, view) }
  },
)

/** As in the reference, tells the client why a profile is hidden. */
function hiddenError(hiddenAs: HiddenAs): XRPCError {
  if (hiddenAs === 'deleted') return invalidRequest('Profile not found')
  if (hiddenAs === 'deactivated') {
    return invalidRequest('Account is deactivated', 'AccountDeactivated')
  }
  return invalidRequest('Account has been suspended', 'AccountTakedown')
}
