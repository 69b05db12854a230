// The account that a list is about: named by handle or DID, known, and not hidden.

import type { AppBskyActorDefs } from '@atproto/api'
import type { Viewer } from '../hydrate/types.ts'
import { profileView } from '../views/profile-views.ts'
import { invalidRequest } from './errors.ts'
import type { Serving } from './serving.ts'

/** @throws XRPCError InvalidRequest, with the reference's words */
export async function visibleSubject(
  { names, hydrator, wanted }: Pick<Serving, 'names' | 'hydrator' | 'wanted'>,
  actor: string,
  viewer: Viewer,
): Promise<{ uid: number; did: string; view: AppBskyActorDefs.ProfileView }> {
  const found = await names.find(actor)
  const state = hydrator.profiles(found?.uid ? [found.uid] : [], viewer)
  const view = profileView(state, found?.uid ?? 0)
  if (found?.uid === 0) wanted.ask(viewer, { dids: [found.did] })
  if (!found || !view) throw invalidRequest(`Actor not found: ${actor}`)
  return { ...found, view }
}
