// Feeds and starter packs that a stranger made: read from their PDS when a member first sees the account, and
// kept current by the stream afterwards. A member who asks for them waits until they are read.

import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import { whenRequested } from '../waiting/when-requested.ts'
import { isStoredAccount } from './holdings.ts'
import { PAGE_MAX_WAIT_MS } from './strangers-pages.ts'

type ActorCall = Pick<Call<{ actor: string }>, 'params' | 'reader' | 'signal' | 'who' | 'time'>
type Facts = Needs<'actors' | 'scope' | 'underWay'>
type Dependencies = Facts & Needs<'fetchRequests' | 'names' | 'waits'>

/** Whether the account's records are neither kept all the time nor read yet. */
export function areRecordsUnread(app: Facts, uid: number): boolean {
  return uid !== 0 && !isStoredAccount(app, uid) && app.underWay.neverRead([uid]).length > 0
}

/** @returns undefined if there is nothing to wait for */
export function strangersRecords(app: Dependencies, call: ActorCall): Promise<void> | undefined {
  if (!call.reader.viewer) return undefined
  const found = app.names.find(call.params.actor, call)
  if (found instanceof Promise) return found.then((actor) => actor && whenRead(app, actor, call))
  return found && whenRead(app, found, call)
}

function whenRead(
  app: Dependencies,
  actor: NamedActor,
  call: ActorCall,
): Promise<void> | undefined {
  const { actors, fetchRequests, underWay, waits } = app
  const { did, uid } = actor
  if (uid !== 0 && !areRecordsUnread(app, uid)) return undefined
  const requested = fetchRequests.ask(call.reader.viewer, { dids: [did] })
  const isThere = whenRequested(requested, () => underWay.declarations(actors.uidOf(did)))
  const bounds = { isShared: true, maxWaitMs: PAGE_MAX_WAIT_MS, signal: call.signal }
  return waits.awaited([`${did} records`], { isThere, ...bounds }).then(() => undefined)
}
