// app.bsky.graph.defs#relationship. The requesting account is the state's viewer.

import type { $Typed, AppBskyGraphDefs } from '@atproto/api'
import type { ProfileState } from '../../hydrate/types.ts'
import { relationTo } from './profile-viewer.ts'

/** `uid` is 0 for an unknown account, which has no relation to any other. */
export function relationship(
  state: ProfileState,
  { uid, did }: { uid: number; did: string },
): $Typed<AppBskyGraphDefs.Relationship> {
  const relation = relationTo(state, uid)
  return {
    $type: 'app.bsky.graph.defs#relationship',
    did,
    following: relation.following,
    followedBy: relation.followedBy,
    blocking: relation.blocking,
    blockedBy: relation.blockedBy,
    blockingByList: state.lists.get(relation.blockingByList ?? 0)?.uri,
    blockedByList: state.lists.get(relation.blockedByList ?? 0)?.uri,
  }
}
