// `viewer.knownLikers` of a post: app.bsky.feed.defs#knownLikers.

import type { AppBskyFeedDefs } from '@atproto/api'
import { PRESENTED_LIKERS } from '../../hydrate/known-likers.ts'
import type { FeedState, Post } from '../../hydrate/types.ts'
import { profileViewBasic } from '../profiles/profile-views.ts'
import { viewerBlocks, viewerMutes } from '../rules.ts'

/**
 * Names nobody whom a block or the viewer's mute hides.
 * @returns undefined if there are none, or none were asked for
 */
export function knownLikersView(
  state: FeedState,
  { id, uid: author }: Post,
): AppBskyFeedDefs.KnownLikers | undefined {
  const known = state.knownLikers.get(id)
  if (!known) return undefined
  const actors: AppBskyFeedDefs.KnownLikers['actors'] = []
  for (const uid of known.uids) {
    if (actors.length === PRESENTED_LIKERS) break
    if (viewerBlocks(state, uid) || viewerMutes(state, uid)) continue
    if (state.blocks.has(author, uid)) continue
    const view = profileViewBasic(state, uid)
    if (view) actors.push(view)
  }
  return { count: known.count, actors }
}
