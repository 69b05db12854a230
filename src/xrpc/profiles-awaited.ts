// Accounts in detail, as getProfile and getProfiles show them. Those that a member asks for and of whom
// we have nothing to show yet are asked for, and waited for a moment: their screen has nothing else.

import type { ProfileState, Viewer } from '../hydrate/types.ts'
import type { NamedActor } from './actor-names.ts'
import type { Serving } from './serving.ts'

type Parts = Pick<Serving, 'actors' | 'arrivals' | 'hydrator' | 'wanted'>

const UNVERIFIED = 'handle.invalid'

/** The state that holds these, once who is lacking has come or time is up. */
export async function profilesAwaited(
  { actors, arrivals, hydrator, wanted }: Parts,
  named: readonly NamedActor[],
  { viewer, signal }: { viewer: Viewer; signal: AbortSignal },
): Promise<ProfileState> {
  const dids = named.map(({ did }) => did)
  const uidsOf = (some: readonly string[]) =>
    some.map((did) => actors.uidOf(did)).filter((uid) => uid !== 0)
  const read = () =>
    hydrator.profiles(uidsOf(dids), viewer, { detailed: true, knownFollowers: true })
  const state = read()
  const lacking = dids.filter((did) => isLacking(state, actors.uidOf(did)))
  wanted.afterProfiles(state)
  if (lacking.length === 0 || !viewer) return state
  wanted.ask(viewer, { dids: lacking })
  await arrivals.awaited(lacking, {
    isThere: () => {
      const now = hydrator.profiles(uidsOf(lacking), undefined)
      return lacking.every((did) => !isLacking(now, actors.uidOf(did)))
    },
    signal,
  })
  return read()
}

/** Neither a profile nor a name: nothing that anybody could tell them by. */
function isLacking({ actors }: ProfileState, uid: number): boolean {
  const actor = actors.get(uid)
  return !actor || (!actor.hiddenAs && !actor.profile && actor.handle === UNVERIFIED)
}
