// internal.bsky.actor.getProfiles, the reference's method for the operator's own services: many accounts in
// detail, as seen by `viewer`; known followers, the most expensive part, only for some. Lexicon:
// lexicons/internal/bsky/actor/.

import type { Reader } from '../../../../../answers/hydrate/reader.ts'
import { profileViewDetailed } from '../../../../../answers/views/profiles/profile-view-detailed.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { withoutUnknownCounts } from '../../../strangers/unknown-counts.ts'

type ProfilesCall = Call<{
  dids: string[]
  viewer?: string
  socialProof?: string[]
  includeTakedowns: boolean
}>

export const getInternalProfiles = query(
  'internal.bsky.actor.getProfiles',
  { auth: 'moderator' },
  (app, call: ProfilesCall) => {
    const { dids, socialProof = [] } = call.params
    const uidsOf = (some: readonly string[]) =>
      some.map((did) => app.actors.uidOf(did)).filter((uid) => uid !== 0)
    const knownFollowers = uidsOf(socialProof.filter((did) => dids.includes(did)))
    const state = app.hydrator.profiles(uidsOf(dids), readerFor(app, call), {
      detailed: true,
      knownFollowers,
    })
    const profiles = uidsOf(dids)
      .map((uid) => profileViewDetailed(state, uid))
      .filter((view) => view !== undefined)
      .map((view) => withoutUnknownCounts(app, view))
    return { body: { profiles } }
  },
)

/** Reads as the account in `viewer`, not as the caller. */
function readerFor({ actors }: Needs<'actors'>, { params, reader }: ProfilesCall): Reader {
  const { viewer: did, includeTakedowns: seesTakenDown } = params
  const viewer = did === undefined ? undefined : { uid: actors.uidOf(did), did }
  return { ...reader, viewer, seesTakenDown }
}
