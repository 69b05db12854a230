// The journal of follow changes, replayed into a graph that a snapshot restored. A change that the snapshot
// has already makes no difference.

import { EdgeRuns, type FollowGraphWriter } from '@slipstream/follow-graph'
import type { Db } from '../../../data/store/db.ts'
import { iterateGraphChanges } from '../../../data/store/records/graph-changes.ts'

/**
 * Replays the changes after `covered`.
 * @returns the id of the last one, or `covered` if there is none
 */
export function replayGraphChanges(db: Db, graph: FollowGraphWriter, covered: number): number {
  const runs = new EdgeRuns(graph)
  let last = covered
  for (const [creator, subject, added, id] of iterateGraphChanges(db, covered)) {
    runs.push(creator, subject, added === 1)
    last = id
  }
  runs.flush()
  return last
}
