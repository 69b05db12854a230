// app.bsky.feed.defs#postView.

import type { AppBskyFeedDefs } from '@atproto/api'
import type { FeedState, Post } from '../hydrate/types.ts'
import { embedView } from './embed-view.ts'
import { listViewBasic } from './list-view-basic.ts'
import { oncePerState } from './memo.ts'
import { postBase } from './post-base.ts'
import { postViewer } from './post-viewer.ts'
import { profileViewBasic } from './profile-views.ts'
import { extended } from './ready-json.ts'

type PostView = AppBskyFeedDefs.PostView

/** @returns undefined where the post is not present, or its author unknown or hidden. */
export const postView = oncePerState((state: FeedState, postId: number): PostView | undefined => {
  const post = state.posts.get(postId)
  const author = post && profileViewBasic(state, post.uid)
  if (!author) return undefined
  return extended(postBase(post), {
    author,
    record: post.record,
    embed: embedView(state, post),
    bookmarkCount: 0,
    viewer: postViewer(state, post),
    threadgate: post.record.reply ? undefined : threadgateView(state, post),
  })
})

function threadgateView(
  state: FeedState,
  { id }: Post,
): AppBskyFeedDefs.ThreadgateView | undefined {
  const gate = state.threadgates.get(id)
  if (!gate) return undefined
  const lists = gate.lists.map((list) => listViewBasic(state, list))
  return {
    uri: gate.uri,
    cid: gate.cid,
    record: gate.record,
    lists: lists.filter((view) => view !== undefined),
  }
}
