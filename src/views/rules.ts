// Rules about what a viewer is shown; the handlers filter skeletons with them.

import type { FeedState, ProfileState, Relation } from '../hydrate/types.ts'

export type FeedItemRules = {
  /** The originator is the reposter, or else the author. */
  originatorMuted: boolean
  originatorBlocked: boolean
  authorMuted: boolean
  authorBlocked: boolean
  /** Author of the parent, or of the parent's parent. */
  ancestorAuthorBlocked: boolean
}

/** A block either way, direct or by list. */
export function viewerBlocks(state: ProfileState, uid: number): boolean {
  const relation = state.relations.get(uid)
  return relation !== undefined && (isBlocking(relation) || isBlockedBy(relation))
}

/** The viewer blocks the account. */
export function viewerIsBlocking(state: ProfileState, uid: number): boolean {
  const relation = state.relations.get(uid)
  return relation !== undefined && isBlocking(relation)
}

/** The account blocks the viewer. */
export function viewerIsBlockedBy(state: ProfileState, uid: number): boolean {
  const relation = state.relations.get(uid)
  return relation !== undefined && isBlockedBy(relation)
}

export function viewerMutes(state: ProfileState, uid: number): boolean {
  return state.relations.get(uid)?.muted ?? false
}

/** For an item that could not be hydrated nothing holds; presenting it gives undefined. */
export function feedItemRules(state: FeedState, item: number): FeedItemRules {
  const { post = 0, repost = 0 } = state.items.get(item) ?? {}
  const author = state.postRefs.get(post)?.uid ?? 0
  const originator = repost === 0 ? author : (state.reposts.get(repost)?.uid ?? 0)
  return {
    originatorMuted: viewerMutes(state, originator),
    originatorBlocked: viewerBlocks(state, originator),
    authorMuted: viewerMutes(state, author),
    authorBlocked: viewerBlocks(state, author),
    ancestorAuthorBlocked: ancestors(state, post).some((uid) => viewerBlocks(state, uid)),
  }
}

/** What the reference removes from a timeline on the server (contract §C, "Removed by server"). */
export function feedItemBlockedOrMuted(state: FeedState, item: number): boolean {
  return Object.values(feedItemRules(state, item)).includes(true)
}

/** Authors of the post's parent and grandparent. */
function ancestors(state: FeedState, post: number): number[] {
  const parent = state.posts.get(post)?.parent ?? 0
  const grandparent = state.posts.get(parent)?.parent ?? 0
  return [parent, grandparent].map((id) => state.postRefs.get(id)?.uid ?? 0)
}

function isBlocking({ blocking, blockingByList }: Relation): boolean {
  return blocking !== undefined || blockingByList !== undefined
}

function isBlockedBy({ blockedBy, blockedByList }: Relation): boolean {
  return blockedBy !== undefined || blockedByList !== undefined
}
