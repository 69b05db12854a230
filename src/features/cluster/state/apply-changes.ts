// Changes of a member's private state, taken in by another node or written to the engine by this one. Applies
// them to the rows with the functions that handle the member's own requests, each as of the time it was made.

import { type IndexContext, internActor } from '../../../ingest/indexing/index-context.ts'
import type { NumberedChange } from '../engine/private-changes.ts'
import type { SharedStateRequest } from '../requests.ts'
import { setSharedVersion, sharedVersion } from '../store/shared-state.ts'
import { actsOf, SEEN, type SharedAct } from './changes.ts'

/**
 * Puts the seen mark first: setting a priority before any seen mark marks everything as seen, which
 * is only right for members who really had none.
 */
function seenFirst(changes: readonly NumberedChange[]): NumberedChange[] {
  const isSeen = ({ key }: NumberedChange) => Number(key === SEEN)
  return changes.toSorted((a, b) => isSeen(b) - isSeen(a))
}

/** Applies only the newer changes if another request has brought some meanwhile. */
export function applySharedState(
  ctx: IndexContext,
  did: string,
  { place: clusterId, from, to, changes }: SharedStateRequest,
  apply: (act: SharedAct) => void,
): void {
  const uid = internActor(ctx, did)
  const known = sharedVersion(ctx.db, uid, clusterId)
  if (known !== from && !isFurther({ known, from, to })) return
  const news = known === from ? changes : changes.filter(({ number }) => number > known!)
  const { now } = ctx
  for (const change of seenFirst(news)) {
    ctx.now = change.madeAt
    for (const act of actsOf(change)) apply(act)
  }
  ctx.now = now
  setSharedVersion(ctx.db, uid, clusterId, to)
}

/** Whether changes that start at `from` still lead on from this node's current version. */
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
