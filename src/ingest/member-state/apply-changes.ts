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

/** Only what is newer, where another request has brought some meanwhile. */
export function applySharedState(
  ctx: IndexContext,
  did: string,
  { place, from, to, changes }: SharedState,
  apply: (act: PrivateAct) => void,
): void {
  const uid = internActor(ctx, did)
  const known = sharedVersion(ctx.db, uid, place)
  if (known !== from && !isFurther({ known, from, to })) return
  const news = known === from ? changes : changes.filter(({ number }) => number > known!)
  const { now } = ctx
  for (const change of seenFirst(news)) {
    ctx.now = change.madeAt
    for (const act of actsOf(change)) apply(act)
  }
  ctx.now = now
  setSharedVersion(ctx.db, uid, place, to)
}

/** Whether what begins at `from` goes on from where this node has come to meanwhile. */
function isFurther({
  known,
  from,
  to,
}: {
  known: number | undefined
  from: number | undefined
  to: number
}): boolean {
  return known !== undefined && known >= (from ?? 0) && known < to
}
