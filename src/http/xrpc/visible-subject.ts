// The account that a list is about: named by handle or DID, known, and not hidden.

import type { Viewer } from '../../answers/hydrate/types.ts'
import { ReadyJson } from '../../answers/views/ready-json.ts'
import { invalidRequest } from '../../base/atproto/xrpc-error.ts'
import type { NamedActor } from './actor-names.ts'
import type { AppContext } from './app-context.ts'

/**
 * @returns its profileView.
 * @throws XRPCError InvalidRequest, with the reference's words
 */
export function visibleSubject(
  { viewCache, fetchRequests }: Pick<AppContext, 'viewCache' | 'fetchRequests'>,
  { actor, found }: { actor: string; found: NamedActor | undefined },
  viewer: Viewer,
): { uid: number; view: ReadyJson } {
  const uid = found?.uid ?? 0
  const [view] = uid === 0 ? [] : viewCache.profiles([uid], viewer)
  if (found?.uid === 0) fetchRequests.ask(viewer, { dids: [found.did] })
  if (view === undefined) throw invalidRequest(`Actor not found: ${actor}`)
  return { uid, view: new ReadyJson([view]) }
}
