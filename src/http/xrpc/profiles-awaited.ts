// Accounts in detail, as getProfile and getProfiles show them. Those that a member asks for and of whom
// we lack the name or the profile are asked for, and waited for a moment: their screen has nothing else.
// Nobody is waited for any longer than they are being looked up.

import type { ProfileState, Viewer } from '../../answers/hydrate/types.ts'
import type { NamedActor } from './actor-names.ts'
import type { AppContext } from './app-context.ts'
import { whenAsked } from './when-asked.ts'

type Parts = Pick<AppContext, 'actors' | 'waits' | 'hydrator' | 'underWay' | 'fetchRequests'>

const UNVERIFIED = 'handle.invalid'

/** The state that holds these, once who is lacking has come or time is up. */
export async function profilesAwaited(
  parts: Parts,
  named: readonly NamedActor[],
  { viewer, signal }: { viewer: Viewer; signal: AbortSignal },
): Promise<ProfileState> {
  const { actors, waits, hydrator, underWay, fetchRequests } = parts
  const dids = named.map(({ did }) => did)
  const uidsOf = (some: readonly string[]) =>
    some.map((did) => actors.uidOf(did)).filter((uid) => uid !== 0)
  const read = () =>
    hydrator.profiles(uidsOf(dids), viewer, { detailed: true, knownFollowers: true })
  const state = read()
  const lacking = dids.filter((did) => isLacking(state, actors.uidOf(did)))
  const asked = fetchRequests.ask(viewer, { dids: lacking })
  fetchRequests.afterProfiles(state)
  askForDeclared(parts, uidsOf(dids), viewer)
  if (lacking.length === 0 || !viewer) return state
  await waits.awaited(lacking, {
    isThere: () => {
      const now = hydrator.profiles(uidsOf(lacking), undefined)
      return lacking.every((did) => !isLacking(now, actors.uidOf(did)))
    },
    isOver: whenAsked(asked, () => underWay.accounts(uidsOf(lacking))),
    signal,
  })
  return read()
}

/** What strangers declare (who may write to them) is read once somebody looks at them. */
function askForDeclared(
  { actors, underWay, fetchRequests }: Parts,
  uids: readonly number[],
  viewer: Viewer,
): void {
  if (!viewer || uids.length === 0) return
  const dids = underWay.neverRead(uids).map((uid) => actors.didOf(uid))
  if (dids.length > 0) void fetchRequests.ask(viewer, { dids })
}

/** Without a profile, or without a name. */
function isLacking({ actors }: ProfileState, uid: number): boolean {
  const actor = actors.get(uid)
  return !actor || (!actor.hiddenAs && (!actor.profile || actor.handle === UNVERIFIED))
}
