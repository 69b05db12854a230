// A newcomer's first notifications: events from before they read here are collected once the ingest thread
// learns of the newcomer (ingest/indexing/notifications/notify-backlog.ts), shortly after their first request, which does
// not wait for that. An empty page would look final, so the page waits, but not long (newcomer-waits.ts).

import type { ActorReader } from '../../../data/graph/types.ts'
import type { SignedInCall } from '../call.ts'
import type { NewcomerWaits } from './newcomer-waits.ts'

/** Returns undefined once they are collected. */
type FirstNotifications = (
  call: Pick<SignedInCall, 'viewer' | 'signal'>,
) => Promise<void> | undefined

const MAX_WAIT_MS = 2_000

/** @param parts - `isWaiting`: false if no ingest thread learns of readers */
export function createFirstNotifications(parts: {
  actors: Pick<ActorReader, 'uidOf'>
  hasBacklog: (uid: number) => boolean
  isWaiting: boolean
  waits: NewcomerWaits
}): FirstNotifications {
  const { actors, hasBacklog, isWaiting, waits } = parts
  const state = () => 'notifications'
  return ({ viewer: { did }, signal }) => {
    if (!isWaiting) return undefined
    const isThere = () => hasBacklog(actors.uidOf(did))
    return waits.until(isThere, { did, state, maxWaitMs: MAX_WAIT_MS, signal })
  }
}
