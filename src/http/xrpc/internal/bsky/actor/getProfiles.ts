// internal.bsky.actor.getProfiles, the reference's for services of the operator's: many accounts in detail, as
// `viewer` sees them, with known followers, which cost most, of some. Lexicon: lexicons/internal/bsky/actor/.

import type { Reader } from '../../../../../answers/hydrate/reader.ts'
import { profileViewDetailed } from '../../../../../answers/views/profile-view-detailed.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { withoutUnknownCounts } from '../../../unknown-counts.ts'

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
      ...{ detailed: true, knownFollowers },
    })
    const profiles = uidsOf(dids)
      .map((uid) => profileViewDetailed(state, uid))
      .filter((view) => view !== undefined)
      .map((view) => withoutUnknownCounts(app, view))
    return { body: { profiles } }
  },
)

/** Whoever is asked for, and not who asks. */
function readerFor({ actors }: Needs<'actors'>, { params, reader }: ProfilesCall): Reader {
  const { viewer: did, includeTakedowns: seesTakenDown } = params
  const viewer = did === undefined ? undefined : { uid: actors.uidOf(did), did }
  return { ...reader, viewer, seesTakenDown }
}
