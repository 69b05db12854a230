// The accounts that a viewer follows and that like a post: all of them, in the order of their likes, newest
// first. A member follows nobody whom no member follows, so the likers that members follow serve every member:
// they are few, and may be cached until `moves` changes or one of them likes the post or no longer does.
// Accounts that are hidden do not count.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import { type ActorReader, HIDDEN, MEMBER } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { likeEdges } from '../../data/store/edges/all-edges.ts'
import type { KnownLikers } from './types.ts'

/** How many a post shows, as in the reference. */
export const SHOWN_LIKERS = 3
/** Enough that blocks and mutes leave some to show. */
const NAMED_LIKERS = 12

export type KnownLikersReader = ReturnType<typeof createKnownLikers>

export function createKnownLikers({
  db,
  actors,
  graph,
}: {
  db: Db
  actors: ActorReader
  graph: Pick<FollowGraphReader, 'has' | 'followsCount'>
}) {
  const isFollowedByMembers = (uid: number) => actors.memberFollowersOf(uid) > 0
  const isVisible = (uid: number) => (actors.flagsOf(uid) & HIDDEN) === 0
  const isMember = (viewer: number) => (actors.flagsOf(viewer) & MEMBER) !== 0

  return {
    isMember,
    isFollowedByMembers,

    /** Load this before lists are read: they are valid while it stays the same. */
    moves: () => actors.authorMoves,

    /**
     * By posts.id: the likers that members follow, newest first; posts without any are omitted. Of
     * the posts that are then in `cut` only the newest likes were read.
     */
    lists: (posts: readonly number[], cut: Set<number>) =>
      likeEdges.accountsOfEach(db, posts, (uid) => isFollowedByMembers(uid) && isVisible(uid), cut),

    /** @param likers - of a list, for a viewer that is a member */
    among: (viewer: number, likers: readonly number[], most?: number): KnownLikers =>
      named(
        likers.filter((uid) => graph.has(viewer, uid)),
        most,
      ),

    /** By posts.id, read from rows, for any viewer; posts without any are omitted. */
    of(viewer: number, posts: readonly number[], most?: number): Map<number, KnownLikers> {
      const found = new Map<number, KnownLikers>()
      if (viewer === 0 || posts.length === 0 || graph.followsCount(viewer) === 0) return found
      const isOfMember = isMember(viewer)
      const isKnown = (uid: number) =>
        (!isOfMember || isFollowedByMembers(uid)) && graph.has(viewer, uid) && isVisible(uid)
      for (const [post, uids] of likeEdges.accountsOfEach(db, posts, isKnown)) {
        found.set(post, named(uids, most))
      }
      return found
    },
  }
}

function named(uids: readonly number[], most = NAMED_LIKERS): KnownLikers {
  return { count: uids.length, uids: uids.length > most ? uids.slice(0, most) : uids }
}
