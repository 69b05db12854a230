// The accounts that a viewer follows, as a search takes them along to its thread.

import type { FollowGraphReader } from '@slipstream/follow-graph'

type Follows = Pick<FollowGraphReader, 'follows' | 'followsCount'>

export function allFollows(graph: Follows, viewer: number): Uint32Array {
  return someFollows(graph, viewer, Infinity)
}

/** @param most - of more, only so many are returned */
export function someFollows(graph: Follows, viewer: number, most: number): Uint32Array {
  const uids = new Uint32Array(viewer === 0 ? 0 : Math.min(graph.followsCount(viewer), most))
  return uids.slice(0, uids.length === 0 ? 0 : graph.follows(viewer, 0, uids))
}
