// app.bsky.feed.defs#threadViewPost, for app.bsky.feed.getPostThread: the thread as a tree. Decides which
// post is shown where; the posts themselves are presented by the caller.

import { didOfUri } from '../../../base/atproto/at-uri.ts'
import type { ThreadState } from '../../hydrate/thread-types.ts'
import type { Post } from '../../hydrate/types.ts'
import type { ReadyJson } from '../json/ready-json.ts'
import { viewerSeesNeedsReview } from '../labels.ts'
import { blockedProfileViewer } from '../profiles/profile-viewer.ts'
import { viewerBlocks } from '../rules.ts'
import {
  isInThread,
  isParentBlocked,
  presentPost,
  type VisibleThread,
  visibleThread,
} from './thread-rules.ts'
import { repliesByParent } from './thread-v2.ts'

const DEFS = 'app.bsky.feed.defs'

type ThreadV1Options = {
  anchor: number
  ids: readonly number[]
  depth: number
  parentHeight: number
  absent: ReadonlySet<number>
  /** Returns the presented post. Called for every post that is shown. */
  present(post: Post): ReadyJson | object
}

type Walk = VisibleThread & {
  options: ThreadV1Options
  replies: Map<number, Post[]>
  /**
   * As in the reference, blocks are described only between the viewer and these authors of posts in
   * the thread.
   */
  authors: Set<number>
}

/** @returns undefined if there is no such post. */
export function threadView(state: ThreadState, options: ThreadV1Options): object | undefined {
  const thread = visibleThread(state, options.anchor, options.absent)
  if (!thread) return undefined
  const post = thread.anchor
  if (viewerBlocks(state, post.uid)) return blockedPost(state, post.uri, post.uid)
  const replies = repliesByParent(thread, options.ids)
  const authors = new Set([...state.posts.values()].map(({ uid }) => uid))
  const walk = { ...thread, options, replies, authors }
  const isOutside = post.violatesThreadgate
  return {
    ...viewPost(walk, post),
    parent: isOutside ? undefined : parentView(walk, post, options.parentHeight),
    replies: isOutside ? undefined : replyViews(walk, post, options.depth),
  }
}

function parentView(walk: Walk, child: Post, height: number): object | undefined {
  const uri = child.record.reply?.parent.uri
  if (height < 1 || uri === undefined) return undefined
  const { state } = walk
  const ref = state.postRefs.get(child.parent ?? 0)
  if (ref && isParentBlocked(walk, child)) {
    return blockedPost(state, uri, walk.authors.has(ref.uid) ? ref.uid : undefined)
  }
  const post = presentPost(walk, child.parent)
  if (!post) return { $type: `${DEFS}#notFoundPost`, uri, notFound: true }
  if (!isInThread(walk, post)) return undefined
  if (viewerBlocks(state, post.uid)) return blockedPost(state, uri, post.uid)
  return { ...viewPost(walk, post), parent: parentView(walk, post, height - 1) }
}

function replyViews(walk: Walk, parent: Post, depth: number): object[] | undefined {
  if (depth < 1) return undefined
  const replies = walk.replies.get(parent.id) ?? []
  return replies.map((reply) => replyView(walk, reply, depth)).filter((view) => view !== undefined)
}

function replyView(walk: Walk, reply: Post, depth: number): object | undefined {
  const post = presentPost(walk, reply.id)
  if (!post || post.violatesThreadgate || isParentBlocked(walk, post)) return undefined
  if (!isInThread(walk, post)) return undefined
  if (viewerBlocks(walk.state, post.uid)) return blockedPost(walk.state, post.uri, post.uid)
  if (!viewerSeesNeedsReview(walk.state, { uid: post.uid, record: post.uri })) return undefined
  return { ...viewPost(walk, post), replies: replyViews(walk, post, depth - 1) }
}

function viewPost({ state, options }: Walk, post: Post): object {
  return {
    $type: `${DEFS}#threadViewPost`,
    post: options.present(post),
    threadContext: { rootAuthorLike: state.opLikes.get(post.id) },
  }
}

function blockedPost(state: ThreadState, uri: string, uid: number | undefined): object {
  const viewer = uid === undefined ? undefined : blockedProfileViewer(state, uid)
  const author = { did: didOfUri(uri), viewer }
  return { $type: `${DEFS}#blockedPost`, uri, blocked: true, author }
}
