// A newcomer's first notifications: what happened before they read here is collected once the ingest thread hears
// of them (ingest/indexing/notify-backlog.ts), a moment after their first request, which does not wait for that.
// An empty page would read like a fact, so the page waits, and not for long (newcomer-waits.ts).

import type { ActorReader } from '../../data/graph/types.ts'
import type { SignedInCall } from './call.ts'
import type { NewcomerWaits } from './newcomer-waits.ts'

/** Undefined where they are collected. */
type FirstNotifications = (
  call: Pick<SignedInCall, 'viewer' | 'signal'>,
) => Promise<void> | undefined

const MAX_WAIT_MS = 2_000

/** @param parts - `isWaiting`: false where no ingest thread is told who reads */
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
