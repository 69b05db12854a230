// Detailed profiles for getProfile and getProfiles. Accounts that a member asks for and whose name or profile
// is missing are requested and briefly awaited: the client's screen has nothing else to show. An account is
// awaited only while its lookup is running.

import { asVisitor, type Reader } from '../../../answers/hydrate/reader.ts'
import type { ProfileState } from '../../../answers/hydrate/types.ts'
import { INVALID_HANDLE } from '../../../base/atproto/handle.ts'
import { inTurn } from '../../../base/util/turn.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import { whenRequested } from './when-requested.ts'

type Dependencies = Needs<'actors' | 'waits' | 'hydrator' | 'underWay' | 'fetchRequests'>

/** Hydrates these accounts, once the missing ones have arrived or time is up. */
export async function profilesAwaited(
  parts: Dependencies,
  named: readonly NamedActor[],
  call: Pick<Call, 'reader' | 'signal' | 'time'>,
): Promise<ProfileState> {
  const { reader, signal } = call
  const { viewer } = reader
  const { actors, waits, hydrator, underWay, fetchRequests } = parts
  const dids = named.map(({ did }) => did)
  const uidsOf = (some: readonly string[]) =>
    some.map((did) => actors.uidOf(did)).filter((uid) => uid !== 0)
  const read = () =>
    inTurn(call, () =>
      hydrator.profiles(uidsOf(dids), reader, { detailed: true, knownFollowers: true }),
    )
  const state = await read()
  const missing = dids.filter((did) => isMissing(state, actors.uidOf(did)))
  const requested = fetchRequests.ask(viewer, { dids: missing })
  reader.missing.addProfiles(state)
  addUndeclared(parts, uidsOf(dids), reader)
  if (missing.length === 0 || !viewer) return state
  await waits.awaited(missing, {
    isThere: () => {
      const now = hydrator.profiles(uidsOf(missing), asVisitor(reader))
      return missing.every((did) => !isMissing(now, actors.uidOf(did)))
    },
    isOver: whenRequested(requested, () => underWay.accounts(uidsOf(missing))),
    signal,
  })
  return read()
}

/** A stranger's declarations (who may write to them) are read once a member views the account. */
function addUndeclared(
  { actors, underWay }: Dependencies,
  uids: readonly number[],
  { viewer, missing }: Reader,
): void {
  if (!viewer || uids.length === 0) return
  missing.add({ dids: underWay.neverRead(uids).map((uid) => actors.didOf(uid)) })
}

/** Lacks a profile or a name. */
function isMissing({ actors }: ProfileState, uid: number): boolean {
  const actor = actors.get(uid)
  return !actor || (!actor.hiddenAs && (!actor.profile || actor.handle === INVALID_HANDLE))
}
