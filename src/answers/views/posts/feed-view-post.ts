// app.bsky.feed.defs#feedViewPost: a feed item with its reason and the posts it replies to.

import type { $Typed, AppBskyFeedDefs } from '@atproto/api'
import type { FeedState, Post, Repost } from '../../hydrate/types.ts'
import { datetime } from '../fields.ts'
import { profileViewBasic } from '../profiles/profile-views.ts'
import { type PostOrReason, postOrReason } from './post-or-reason.ts'
import { postView } from './post-view.ts'

/**
 * `pinned`: the item is first in its author's feed because the author pinned it.
 * @returns undefined if the post, its author or its reposter cannot be shown.
 */
export function feedViewPost(
  state: FeedState,
  item: number,
  { pinned = false }: { pinned?: boolean } = {},
): AppBskyFeedDefs.FeedViewPost | undefined {
  const { post: postId = 0, repost: repostId } = state.items.get(item) ?? {}
  const post = state.posts.get(postId)
  const repost = repostId === undefined ? undefined : state.reposts.get(repostId)
  const view = post && postView(state, postId)
  const reposted = repost && reasonRepost(state, repost)
  if (!view || (repost && !reposted)) return undefined
  return {
    post: view,
    reply: post.violatesThreadgate ? undefined : replyRef(state, post),
    reason: pinned ? { $type: 'app.bsky.feed.defs#reasonPin' } : reposted,
  }
}

function reasonRepost(
  state: FeedState,
  { uid, uri, cid, sortAt }: Repost,
): $Typed<AppBskyFeedDefs.ReasonRepost> | undefined {
  const by = profileViewBasic(state, uid)
  if (!by) return undefined
  return { $type: 'app.bsky.feed.defs#reasonRepost', by, uri, cid, indexedAt: datetime(sortAt) }
}

/** A block between the authors of a thread hides the posts above, for every viewer. */
function replyRef(state: FeedState, post: Post): AppBskyFeedDefs.ReplyRef | undefined {
  const { reply } = post.record
  if (!reply) return undefined
  const parentPost = storedPost(state, post.parent ?? 0)
  const rootBlocked =
    blocked(state, post, post.root) || blocked(state, parentPost, parentPost?.root)
  const root = postOrReason(state, post.root, { uri: reply.root.uri, blocked: rootBlocked })
  const parent = postOrReason(state, post.parent, {
    uri: reply.parent.uri,
    blocked: blocked(state, post, post.parent),
  })
  return { root, parent, grandparentAuthor: grandparentAuthor(state, parent, parentPost) }
}

/** The post, even if taken down. */
function storedPost(state: FeedState, id: number): Post | undefined {
  const post = state.posts.get(id)
  // In a state for everyone, no post is taken down.
  return post ?? (state.forEveryone ? undefined : state.takenDown.get(id))
}

/** Whether there is a block between the authors of the two posts. */
function blocked(state: FeedState, post: Post | undefined, other: number | undefined): boolean {
  const otherUid = state.postRefs.get(other ?? 0)?.uid
  return post !== undefined && otherUid !== undefined && state.blocks.has(post.uid, otherUid)
}

function grandparentAuthor(
  state: FeedState,
  parent: PostOrReason,
  parentPost: Post | undefined,
): AppBskyFeedDefs.ReplyRef['grandparentAuthor'] {
  if (parent.$type !== 'app.bsky.feed.defs#postView') return undefined
  const grandparent = state.postRefs.get(parentPost?.parent ?? 0)
  return grandparent && profileViewBasic(state, grandparent.uid)
}
