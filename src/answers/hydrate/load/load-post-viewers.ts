// One account's actions on posts, and the counts of all accounts' actions on them.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import type { Loader } from '../page.ts'
import type { PostCounts, PostViewer, Viewer } from '../types.ts'
import { toPostCounts } from './post-counts.ts'

const LIKE = 'app.bsky.feed.like'
const REPOST = 'app.bsky.feed.repost'

const NO_DOINGS: PostViewer = {
  like: undefined,
  repost: undefined,
  bookmarked: false,
  threadMuted: false,
}

export function loadPostViewers(
  loader: Loader,
  ids: readonly number[],
  viewer: Viewer,
): Map<number, PostViewer> {
  const found = new Map<number, PostViewer>()
  if (!viewer || viewer.uid === 0 || ids.length === 0) return found
  for (const { post, rkey } of loader.readers.postViewers.likes(viewer.uid, ids)) {
    found.set(post, { ...NO_DOINGS, like: recordUri(viewer.did, LIKE, rkey) })
  }
  for (const { post, rkey } of loader.readers.postViewers.reposts(viewer.uid, ids)) {
    const doings = found.get(post) ?? NO_DOINGS
    found.set(post, { ...doings, repost: recordUri(viewer.did, REPOST, rkey) })
  }
  if (viewer.withoutPrivateState) return found
  for (const post of loader.readers.postViewers.bookmarks(viewer.uid, ids)) {
    found.set(post, { ...(found.get(post) ?? NO_DOINGS), bookmarked: true })
  }
  for (const post of loader.readers.postViewers.threadMutes(viewer.uid, ids)) {
    found.set(post, { ...(found.get(post) ?? NO_DOINGS), threadMuted: true })
  }
  return found
}

export function loadPostCounts(loader: Loader, ids: readonly number[]): Map<number, PostCounts> {
  const found = new Map<number, PostCounts>()
  loader.context.onCountsRead?.(ids)
  for (const [id, ...counts] of loader.readers.posts.counts(ids))
    found.set(id, toPostCounts(counts))
  return found
}
