// A newcomer's first notifications: what happened before they read here is collected once the ingest thread hears
// of them (ingest/indexing/notify-backlog.ts), a moment after their first request, which does not wait for that.
// An empty page would read like a fact, so the page waits, outside the queue and not for long.

import type { ActorReader } from '../../data/graph/types.ts'
import type { MethodContext } from '../server/method.ts'
import { createArrivals } from './arrivals.ts'

/** Undefined where they are collected. */
export type FirstNotifications = (
  context: Pick<MethodContext, 'viewer' | 'signal'>,
) => Promise<void> | undefined

const PATIENCE_MS = 2_000
/** The ingest thread is busy with something long, then. */
const MAX_IN_VAIN = 4

/** @param parts - `isWaiting`: false where no ingest thread is told who reads */
export function createFirstNotifications(parts: {
  actors: Pick<ActorReader, 'uidOf'>
  hasBacklog: (uid: number) => boolean
  isWaiting: boolean
}): FirstNotifications {
  const arrivals = createArrivals({ maxInVain: MAX_IN_VAIN })
  return ({ viewer: did = '', signal }) => {
    const isThere = () => parts.hasBacklog(parts.actors.uidOf(did))
    if (!parts.isWaiting || isThere()) return undefined
    return arrivals.awaited([did], { isThere, isShared: true, patienceMs: PATIENCE_MS, signal })
  }
}
