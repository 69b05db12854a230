// Whom a feed or list of recommendations leaves out. An author who asks apps to hide their posts from algorithmic
// recommendations is promised, where the official client asks, that only people who follow them see them there.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { Db } from '../../../data/store/db.ts'
import { hiddenFromRecommendations } from '../../../data/store/read/accounts/content-visibility.ts'

type Dependencies = { db: Db; graph: Pick<FollowGraphReader, 'has'> }

/**
 * Those of these accounts (uids) that are not to be recommended to the viewer, who is 0 for a
 * visitor.
 */
export function notRecommendedTo(
  { db, graph }: Dependencies,
  viewer: number,
  uids: Iterable<number>,
): Set<number> {
  const strangers = [...uids].filter(
    (uid) => uid !== viewer && (viewer === 0 || !graph.has(viewer, uid)),
  )
  return strangers.length === 0 ? new Set() : hiddenFromRecommendations(db, strangers)
}
