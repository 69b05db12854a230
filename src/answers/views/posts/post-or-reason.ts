// The view of a post that another one points at, or the reason why there is none.

import type { $Typed, AppBskyFeedDefs } from '@atproto/api'
import type { FeedState } from '../../hydrate/types.ts'
import { extended } from '../json/ready-json.ts'
import { blockedProfileViewer } from '../profiles/profile-viewer.ts'
import { visibleActor } from '../profiles/profile-views.ts'
import { viewerBlocks } from '../rules.ts'
import { authorDid } from './post-base.ts'
import { postView } from './post-view.ts'

export type PostOrReason =
  | $Typed<AppBskyFeedDefs.PostView>
  | $Typed<AppBskyFeedDefs.BlockedPost>
  | $Typed<AppBskyFeedDefs.NotFoundPost>

/** `blocked`: a block hides it here from every viewer. */
export function postOrReason(
  state: FeedState,
  postId: number | undefined,
  { uri, blocked = false }: { uri: string; blocked?: boolean },
): PostOrReason {
  const post = state.posts.get(postId ?? 0)
  const isHere = post && visibleActor(state, post.uid)
  if (isHere && (blocked || viewerBlocks(state, post.uid))) {
    const author = { did: authorDid(post), viewer: blockedProfileViewer(state, post.uid) }
    return { $type: 'app.bsky.feed.defs#blockedPost', uri, blocked: true, author }
  }
  const view = post && postView(state, post.id)
  if (!view) return { $type: 'app.bsky.feed.defs#notFoundPost', uri, notFound: true }
  return extended(view, { $type: 'app.bsky.feed.defs#postView' as const })
}
