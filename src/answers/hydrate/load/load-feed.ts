// Hydration of feed items and of posts.

import { isRepostItem, rowIdOf } from '../../../data/store/timelines/item-ids.ts'
import type { PostOptions } from '../hydrator-types.ts'
import { emptyFeedState, type Loader } from '../page.ts'
import type { Reader } from '../reader.ts'
import type { AccountPair, FeedState, Post } from '../types.ts'
import { loadAccounts, loadLists } from './load-accounts.ts'
import { addAssociated } from './load-associated.ts'
import { loadBlocks } from './load-blocks.ts'
import { loadGates } from './load-gates.ts'
import { loadPostViewers } from './load-post-viewers.ts'
import { loadPosts, loadSurroundings, loadThreads } from './load-posts.ts'
import { addRecords } from './load-records.ts'
import { readReposts } from './read-reposts.ts'

const LIST = 'app.bsky.graph.list'
const POST = 'app.bsky.feed.post'

export function loadFeed(
  loader: Loader,
  items: readonly number[],
  reader: Reader,
  options: PostOptions = {},
): FeedState {
  const state = emptyFeedState(reader, loader.context.urls)
  loadItems(loader, state, items)
  const ids = [...state.items.values()].map(({ post }) => post)
  loadAround(loader, state, loadThreads(loader, state, ids), options)
  return state
}

export function loadPostsOnly(
  loader: Loader,
  ids: readonly number[],
  reader: Reader,
  options: PostOptions = {},
): FeedState {
  const state = emptyFeedState(reader, loader.context.urls)
  loadAround(loader, state, loadPosts(loader, state, ids), options)
  return state
}

function loadItems(loader: Loader, state: FeedState, items: readonly number[]): void {
  const repostIds = items.filter(isRepostItem).map(rowIdOf)
  if (repostIds.length > 0) {
    const reposts = readReposts(loader, new Set(repostIds))
    for (const repost of reposts) state.reposts.set(repost.id, repost)
  }
  for (const item of items) {
    if (!isRepostItem(item)) {
      state.items.set(item, { post: rowIdOf(item), repost: undefined })
      continue
    }
    const repost = state.reposts.get(rowIdOf(item))
    if (repost) state.items.set(item, { post: repost.subject, repost: repost.id })
  }
}

/** Loads everything else once the posts in front are loaded. */
function loadAround(
  loader: Loader,
  state: FeedState,
  front: Post[],
  { knownLikers }: PostOptions,
): void {
  loadSurroundings(loader, state, front)
  loadGates(loader, state, front)
  addRecords(loader, state, recordsOf(state))
  addAssociated(loader, state)
  if (knownLikers) loadKnownLikers(loader, state, front, knownLikers)
  loadAccounts(loader, state, uidsOf(state))
  loadLists(loader, state, listsOf(state))
  loadBlocksAround(loader, state)
  loadViewer(loader, state, front)
}

function uidsOf(state: FeedState): Set<number> {
  const uids = new Set<number>()
  for (const { uid } of state.postRefs.values()) uids.add(uid)
  for (const { uid } of state.reposts.values()) uids.add(uid)
  for (const { embedded } of state.posts.values()) if (embedded) uids.add(embedded.uid)
  for (const { uid } of state.associated.values()) uids.add(uid)
  for (const { uids: likers } of state.knownLikers.values()) for (const uid of likers) uids.add(uid)
  return uids
}

/** at-URIs of the embedded records that are neither posts nor lists. */
function recordsOf(state: FeedState): string[] {
  const uris: string[] = []
  for (const { embedded } of state.posts.values()) {
    if (embedded && embedded.collection !== POST && embedded.collection !== LIST) {
      uris.push(embedded.uri)
    }
  }
  return uris
}

function listsOf(state: FeedState): Set<number> {
  const ids = new Set<number>()
  for (const { embedded } of state.posts.values()) {
    if (embedded?.collection === LIST && embedded.id) ids.add(embedded.id)
  }
  for (const { lists } of state.threadgates.values()) for (const id of lists) ids.add(id)
  return ids
}

/**
 * Loads blocks between the author of a post and those of its parent, its root and its embed, and its
 * known likers.
 */
function loadBlocksAround(loader: Loader, state: FeedState): void {
  const pairs = new Map<string, AccountPair>()
  const add = (uid: number, otherUid: number | undefined) => {
    if (otherUid && otherUid !== uid) pairs.set(`${uid} ${otherUid}`, [uid, otherUid])
  }
  for (const { id, uid, parent, root, embedded } of state.posts.values()) {
    if (parent) add(uid, state.postRefs.get(parent)?.uid)
    if (root) add(uid, state.postRefs.get(root)?.uid)
    add(uid, embedded?.uid)
    for (const liker of state.knownLikers.get(id)?.uids ?? []) add(uid, liker)
  }
  if (pairs.size > 0) state.blocks = loadBlocks(loader, pairs.values(), state)
}

function loadKnownLikers(
  { knownLikers }: Loader,
  state: FeedState,
  front: readonly Post[],
  of: NonNullable<PostOptions['knownLikers']>,
): void {
  const posts = of === 'all' ? front : front.filter(({ record }) => !record.reply)
  const ids = posts.map(({ id }) => id)
  state.knownLikers = knownLikers.of(state.viewer?.uid ?? 0, ids)
}

/** Loads the viewer's actions on the posts in front, and which gate lists the viewer is on. */
function loadViewer(loader: Loader, state: FeedState, front: Post[]): void {
  const { viewer } = state
  if (!viewer || viewer.uid === 0) return
  state.postViewers = loadPostViewers(
    loader,
    front.map(({ id }) => id),
    viewer,
  )
  const gateLists = new Set([...state.threadgates.values()].flatMap(({ lists }) => lists))
  if (gateLists.size === 0) return
  state.viewerLists = new Set(loader.readers.lists.having(gateLists, viewer.uid))
}
