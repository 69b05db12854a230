// Hydrates a thread as far as needed to decide which of its posts are shown, in what order and how: the
// posts, their authors, relations of these to the viewer and the authors above, the thread's gate, and the
// owner's likes. Embeds and the like are not included: the posts shown are presented separately.

import { parseRecordUri, recordUri } from '../../../base/atproto/at-uri.ts'
import { NO_TAG_RULES } from '../../../base/atproto/tag-rules.ts'
import { emptyFeedState, type Loader } from '../page.ts'
import type { Reader } from '../reader.ts'
import type { ThreadHydration, ThreadState } from '../thread-types.ts'
import type { AccountPair, FeedState, Post } from '../types.ts'
import { loadAccounts, loadLists } from './load-accounts.ts'
import { loadBlocks } from './load-blocks.ts'
import { loadThreadgates } from './load-gates.ts'
import { loadPosts, loadRefs } from './load-posts.ts'

const LIKE = 'app.bsky.feed.like'

export function loadThread(
  loader: Loader,
  { anchor, ids }: ThreadHydration,
  reader: Reader,
): ThreadState {
  const feed = emptyFeedState(reader, loader.context.urls)
  const posts = loadPosts(loader, feed, [anchor, ...ids])
  const visible = feed.posts.get(anchor)
  loadPosts(loader, feed, [visible?.root])
  const parents = posts.map(({ parent }) => parent)
  loadRefs(loader, feed, parents)
  const root = visible ? (visible.root ?? anchor) : anchor
  // A missing root still has its gate as long as there are replies to it.
  const isThread = visible !== undefined || posts.some((post) => post.root === root)
  if (isThread) loadThreadgates(loader, feed, new Set([root]))
  loadAccounts(loader, feed, accountsOf(feed))
  loadLists(loader, feed, new Set([...feed.threadgates.values()].flatMap(({ lists }) => lists)))
  feed.blocks = loadThreadBlocks(loader, feed)
  const op = visible && ownerOf(loader, visible)
  const opLikes = op ? loadLikesOf(loader, op, posts) : new Map()
  return { ...feed, opLikes, tagged: loadTagged(loader, ids) }
}

function loadTagged({ readers, context }: Loader, ids: readonly number[]): ThreadState['tagged'] {
  const { threadTagsHide, threadTagsBumpDown } = context.tagRules ?? NO_TAG_RULES
  return {
    aside: readers.tags.posts(ids, threadTagsHide),
    bumpedDown: readers.tags.posts(ids, threadTagsBumpDown),
  }
}

/** The thread's owner by the root's URI, which may have no row. */
function ownerOf(loader: Loader, { record, uri }: Post): { uid: number; did: string } | undefined {
  const did = parseRecordUri(record.reply?.root.uri ?? uri)?.did
  return did === undefined ? undefined : { uid: loader.context.actors.uidOf(did), did }
}

function accountsOf(state: FeedState): Set<number> {
  const uids = new Set<number>()
  for (const { uid } of state.postRefs.values()) uids.add(uid)
  return uids
}

/** Loads blocks between the author of each post and its parent's author. */
function loadThreadBlocks(loader: Loader, state: FeedState) {
  const pairs: AccountPair[] = []
  for (const { uid, parent } of state.posts.values()) {
    const above = state.postRefs.get(parent ?? 0)?.uid
    if (above !== undefined && above !== uid) pairs.push([uid, above])
  }
  return loadBlocks(loader, pairs, state)
}

function loadLikesOf(
  loader: Loader,
  { uid, did }: { uid: number; did: string },
  posts: readonly Post[],
): Map<number, string> {
  if (uid === 0) return new Map()
  const ids = posts.filter(({ likeCount }) => likeCount > 0).map(({ id }) => id)
  const likes = loader.readers.postViewers.likes(uid, ids)
  return new Map(likes.map(({ post, rkey }) => [post, recordUri(did, LIKE, rkey)]))
}
