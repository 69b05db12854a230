// app.bsky.feed.defs#feedViewPost: a feed item with the reason it is there and what it replies to.

import type { $Typed, AppBskyFeedDefs } from '@atproto/api'
import type { FeedState, Post, Repost } from '../hydrate/types.ts'
import { datetime } from './fields.ts'
import { postView } from './post-view.ts'
import { blockedProfileViewer } from './profile-viewer.ts'
import { profileViewBasic } from './profile-views.ts'
import { extended } from './ready-json.ts'
import { viewerBlocks } from './rules.ts'

type Ancestor =
  | $Typed<AppBskyFeedDefs.PostView>
  | $Typed<AppBskyFeedDefs.BlockedPost>
  | $Typed<AppBskyFeedDefs.NotFoundPost>

/**
 * `pinned`: the item stands first in its author's feed because the author pinned it.
 * @returns undefined where the post, its author or its reposter cannot be shown.
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

/** A block between the authors of a thread hides what stands above, whoever looks on. */
function replyRef(state: FeedState, post: Post): AppBskyFeedDefs.ReplyRef | undefined {
  const { reply } = post.record
  if (!reply) return undefined
  const parentPost = state.posts.get(post.parent ?? 0)
  const rootBlocked =
    blocked(state, post, post.root) || blocked(state, parentPost, parentPost?.root)
  const root = ancestor(state, post.root, { uri: reply.root.uri, blocked: rootBlocked })
  const parent = ancestor(state, post.parent, {
    uri: reply.parent.uri,
    blocked: blocked(state, post, post.parent),
  })
  return { root, parent, grandparentAuthor: grandparentAuthor(state, parent, parentPost) }
}

/** Whether a block stands between the authors of these two posts. */
function blocked(state: FeedState, post: Post | undefined, other: number | undefined): boolean {
  const otherUid = state.postRefs.get(other ?? 0)?.uid
  return post !== undefined && otherUid !== undefined && state.blocks.has(post.uid, otherUid)
}

function ancestor(
  state: FeedState,
  postId: number | undefined,
  { uri, blocked }: { uri: string; blocked: boolean },
): Ancestor {
  const post = state.posts.get(postId ?? 0)
  const view = post && postView(state, post.id)
  if (!view) return { $type: 'app.bsky.feed.defs#notFoundPost', uri, notFound: true }
  if (blocked || viewerBlocks(state, post.uid)) {
    const author = { did: view.author.did, viewer: blockedProfileViewer(state, post.uid) }
    return { $type: 'app.bsky.feed.defs#blockedPost', uri, blocked: true, author }
  }
  return extended(view, { $type: 'app.bsky.feed.defs#postView' as const })
}

function grandparentAuthor(
  state: FeedState,
  parent: Ancestor,
  parentPost: Post | undefined,
): AppBskyFeedDefs.ReplyRef['grandparentAuthor'] {
  if (parent.$type !== 'app.bsky.feed.defs#postView') return undefined
  const grandparent = state.postRefs.get(parentPost?.parent ?? 0)
  return grandparent && profileViewBasic(state, grandparent.uid)
}
