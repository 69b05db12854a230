// Rules for what a viewer is shown; the handlers use them to filter skeletons.

import type { FeedState, ProfileState, Relation } from '../hydrate/types.ts'

export type FeedItemRules = {
  /** The originator is the reposter of a repost, otherwise the author. */
  originatorMuted: boolean
  originatorBlocked: boolean
  authorMuted: boolean
  authorBlocked: boolean
  /** The item is a repost, and the viewer mutes this reposter's reposts. */
  originatorRepostMuted: boolean
  /** The item is a quote post, and the viewer mutes this author's quote posts. */
  authorQuotepostMuted: boolean
  /** Whether the author of the parent or the grandparent is blocked. */
  ancestorAuthorBlocked: boolean
}

/** Whether there is a block in either direction, direct or by list. */
export function viewerBlocks(state: ProfileState, uid: number): boolean {
  if (state.forEveryone) {
    state.forEveryone.assumeNoBlock(uid)
    return false
  }
  if (state.viewer?.seesThroughBlocks) return false
  const relation = state.relations.get(uid)
  return relation !== undefined && (isBlocking(relation) || isBlockedBy(relation))
}

/** Whether the viewer blocks the account. */
export function viewerIsBlocking(state: ProfileState, uid: number): boolean {
  const relation = state.relations.get(uid)
  return relation !== undefined && isBlocking(relation)
}

/** Whether the account blocks the viewer. */
export function viewerIsBlockedBy(state: ProfileState, uid: number): boolean {
  const relation = state.relations.get(uid)
  return relation !== undefined && isBlockedBy(relation)
}

/** Whether the viewer mutes the account entirely, directly or by list. */
export function viewerMutes(state: ProfileState, uid: number): boolean {
  const relation = state.relations.get(uid)
  return relation !== undefined && (relation.muted || relation.mutedByList !== undefined)
}

/** The facts about a viewer and an account that rules use. */
export type RelationRules = {
  blocks: boolean
  mutes: boolean
  mutesReposts: boolean
  mutesQuotePosts: boolean
}

export function relationRules(state: ProfileState, uid: number): RelationRules {
  const relation = state.relations.get(uid)
  return {
    blocks: viewerBlocks(state, uid),
    mutes: viewerMutes(state, uid),
    mutesReposts: relation?.mutedOnlyReposts ?? false,
    mutesQuotePosts: relation?.mutedOnlyQuoteposts ?? false,
  }
}

/** The accounts that a feed item's rules depend on; 0 if there is none. */
export type FeedItemAccounts = {
  author: number
  /** The reposter of a repost, otherwise the author. */
  originator: number
  parentAuthor: number
  grandparentAuthor: number
  isRepost: boolean
  isQuotePost: boolean
}

export function feedItemAccounts(state: FeedState, item: number): FeedItemAccounts {
  const { post = 0, repost = 0 } = state.items.get(item) ?? {}
  const author = state.postRefs.get(post)?.uid ?? 0
  const parent = state.posts.get(post)?.parent ?? 0
  const grandparent = state.posts.get(parent)?.parent ?? 0
  return {
    author,
    originator: repost === 0 ? author : (state.reposts.get(repost)?.uid ?? 0),
    parentAuthor: state.postRefs.get(parent)?.uid ?? 0,
    grandparentAuthor: state.postRefs.get(grandparent)?.uid ?? 0,
    isRepost: repost !== 0,
    isQuotePost: state.posts.get(post)?.embedded?.collection === 'app.bsky.feed.post',
  }
}

/** All rules are false for an item that could not be hydrated; presenting it yields undefined. */
export function feedItemRules(state: FeedState, item: number): FeedItemRules {
  return rulesAbout(feedItemAccounts(state, item), (uid) => relationRules(state, uid))
}

export function rulesAbout(
  item: FeedItemAccounts,
  relationTo: (uid: number) => RelationRules,
): FeedItemRules {
  const author = relationTo(item.author)
  const originator = item.isRepost ? relationTo(item.originator) : author
  return {
    originatorMuted: originator.mutes,
    originatorBlocked: originator.blocks,
    authorMuted: author.mutes,
    authorBlocked: author.blocks,
    originatorRepostMuted: item.isRepost && originator.mutesReposts,
    authorQuotepostMuted: item.isQuotePost && author.mutesQuotePosts,
    ancestorAuthorBlocked:
      relationTo(item.parentAuthor).blocks || relationTo(item.grandparentAuthor).blocks,
  }
}

/** Whether the reference removes the item from a timeline on the server. */
export function isBlockedOrMuted(rules: FeedItemRules): boolean {
  return (
    rules.originatorMuted ||
    rules.originatorBlocked ||
    rules.authorMuted ||
    rules.authorBlocked ||
    rules.originatorRepostMuted ||
    rules.authorQuotepostMuted ||
    rules.ancestorAuthorBlocked
  )
}

function isBlocking({ blocking, blockingByList }: Relation): boolean {
  return blocking !== undefined || blockingByList !== undefined
}

function isBlockedBy({ blockedBy, blockedByList }: Relation): boolean {
  return blockedBy !== undefined || blockedByList !== undefined
}
