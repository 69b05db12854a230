// The viewer object of a post: app.bsky.feed.defs#viewerState.

import type { AppBskyFeedDefs } from '@atproto/api'
import type { FeedState, Post, PostViewer } from '../../hydrate/types.ts'
import { SLOT, slot } from '../json/slots.ts'
import { pinnedPost } from '../profiles/profile-views.ts'
import { viewerMayEmbed, viewerMayReply } from './gate-rules.ts'
import { knownLikersView } from './known-likers.ts'

/** @returns undefined if anonymous. */
export function postViewer(state: FeedState, post: Post): AppBskyFeedDefs.ViewerState | undefined {
  if (state.forEveryone) return viewerSlot(state, post)
  if (!state.viewer) return undefined
  return {
    ...doingsOf(state.postViewers.get(post.id)),
    replyDisabled: replyDisabled(state, post),
    embeddingDisabled: !viewerMayEmbed(state, state.postgates.get(post.id), post.uid),
    pinned: pinned(state, post),
    knownLikers: knownLikersView(state, post),
  }
}

/** The same for a post of another account without any gate. */
export function ungatedPostViewer(doings: PostViewer | undefined): AppBskyFeedDefs.ViewerState {
  return { ...doingsOf(doings), embeddingDisabled: false }
}

function doingsOf(doings: PostViewer | undefined) {
  return {
    repost: doings?.repost,
    like: doings?.like,
    bookmarked: doings?.bookmarked ?? false,
    threadMuted: doings?.threadMuted ?? false,
  }
}

function viewerSlot(state: FeedState, post: Post): AppBskyFeedDefs.ViewerState {
  const isGated =
    post.violatesThreadgate ||
    state.threadgates.has(post.root ?? post.id) ||
    state.postgates.has(post.id)
  return slot(isGated ? SLOT.gatedPostViewer : SLOT.postViewer, post.id)
}

/** @returns undefined if there is no gate. */
function replyDisabled(state: FeedState, post: Post): boolean | undefined {
  if (post.violatesThreadgate) return true
  const rootId = post.root ?? post.id
  const gate = state.threadgates.get(rootId)
  const owner = state.postRefs.get(rootId)?.uid
  if (!gate || owner === undefined) return undefined
  return !viewerMayReply(state, gate, { owner, root: state.posts.get(rootId) })
}

/** Set only on the viewer's own posts, and only if the viewer has a pinned post. */
function pinned(state: FeedState, post: Post): boolean | undefined {
  if (state.viewer?.uid !== post.uid) return undefined
  const pinned = pinnedPost(state.actors.get(post.uid)?.profile)
  return pinned && pinned.uri === post.uri
}
