import type { AppBskyFeedDefs } from '@atproto/api'
import type { FeedState, Post } from '../../hydrate/types.ts'
import { oncePerState } from '../json/memo.ts'
import { extended } from '../json/ready-json.ts'
import { SLOT, slot } from '../json/slots.ts'
import { listViewBasic } from '../list-view-basic.ts'
import { isWithheld } from '../members-only.ts'
import { profileViewBasic } from '../profiles/profile-views.ts'
import { embedView } from './embed-view.ts'
import { hasListRule } from './gate-rules.ts'
import { postBaseWithBookmarks } from './post-base.ts'
import { postViewer } from './post-viewer.ts'

type PostView = AppBskyFeedDefs.PostView

/** @returns undefined if the post is absent or withheld, or its author is unknown or hidden. */
export const postView = oncePerState((state: FeedState, postId: number): PostView | undefined => {
  const post = state.posts.get(postId)
  const author = post && profileViewBasic(state, post.uid)
  if (!author || isWithheld(state, post.uid)) return undefined
  return state.forEveryone ? slot(SLOT.post, postId) : fullPost(state, post, author)
})

/** Builds the postView for which `postView` leaves a slot. */
export function postViewForEveryone(state: FeedState, postId: number): PostView | undefined {
  const post = state.posts.get(postId)
  const author = post && profileViewBasic(state, post.uid)
  return author && fullPost(state, post, author)
}

function fullPost(state: FeedState, post: Post, author: PostView['author']): PostView {
  return extended(postBaseWithBookmarks(state, post), {
    author,
    record: post.record,
    embed: embedView(state, post),
    viewer: postViewer(state, post),
    threadgate: post.record.reply ? undefined : threadgateView(state, post),
  })
}

export function threadgateView(
  state: FeedState,
  { id }: Pick<Post, 'id'>,
): AppBskyFeedDefs.ThreadgateView | undefined {
  const gate = state.threadgates.get(id)
  if (!gate) return undefined
  // A list unknown so far may be indexed later.
  if (hasListRule(gate)) state.forEveryone?.refuse()
  const lists = gate.lists.map((list) => listViewBasic(state, list))
  return {
    uri: gate.uri,
    cid: gate.cid,
    record: gate.record,
    lists: lists.filter((view) => view !== undefined),
  }
}
