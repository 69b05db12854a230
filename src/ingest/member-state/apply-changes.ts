// Changes of a member's private state that another node took in, or that this one wrote to the engine: into rows,
// by the functions that the member's own requests come to, each at the time at which it was made.

import type { OtherAct, PrivateAct } from '../../bridge/messages.ts'
import type { NumberedChange } from '../../data/engine/private-changes.ts'
import { setSharedVersion, sharedVersion } from '../../data/store/shared-state.ts'
import { type IndexContext, internActor } from '../indexing/index-context.ts'
import { actsOf, SEEN } from './changes.ts'

type SharedState = OtherAct & { kind: 'shared-state' }

/** Who sets a priority before having seen anything has seen everything: that is for whoever really had not. */
function seenFirst(changes: readonly NumberedChange[]): NumberedChange[] {
  const isSeen = ({ key }: NumberedChange) => Number(key === SEEN)
  return changes.toSorted((a, b) => isSeen(b) - isSeen(a))
}

/** Nothing, where another thread has brought them meanwhile. */
export function applySharedState(
  ctx: IndexContext,
  did: string,
  { place, from, to, changes }: SharedState,
  apply: (act: PrivateAct) => void,
): void {
  const uid = internActor(ctx, did)
  if (sharedVersion(ctx.db, uid, place) !== from) return
  const { now } = ctx
  for (const change of seenFirst(changes)) {
    ctx.now = change.madeAt
    for (const act of actsOf(change)) apply(act)
  }
  ctx.now = now
  setSharedVersion(ctx.db, uid, place, to)
}
