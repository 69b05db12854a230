// Loads posts in layers, like the reference: the posts in front (those asked for and, in a feed, their
// parents and roots), then the roots and quotes of those, then the quotes of the quoted posts. One statement
// per layer.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { isWithoutRecord } from '../../../data/store/posts/posts.ts'
import type { PostKeyRow } from '../../../data/store/read/posts/posts.ts'
import type { Loader } from '../page.ts'
import type { FeedState, Post, PostRef } from '../types.ts'
import { readPosts } from './read-posts.ts'

const POST = 'app.bsky.feed.post'

/** @returns the posts in front: those asked for, their parents and their roots. */
export function loadThreads(loader: Loader, state: FeedState, ids: Iterable<number>): Post[] {
  const requested = loadPosts(loader, state, ids)
  const pointedAt = requested.flatMap(({ root, parent }) => [root, parent])
  const ancestors = loadPosts(loader, state, pointedAt)
  const parents = requested.map(({ parent }) => state.posts.get(parent ?? 0))
  loadRefs(
    loader,
    state,
    parents.map((parent) => parent?.parent),
  )
  return [...new Set([...requested, ...ancestors])]
}

/** Loads the posts around the posts in front. */
export function loadSurroundings(loader: Loader, state: FeedState, front: Post[]): void {
  loadPosts(
    loader,
    state,
    front.flatMap((post) => [post.root, quoteOf(post)]),
  )
  const quoted = front.map((post) => state.posts.get(quoteOf(post) ?? 0))
  loadPosts(
    loader,
    state,
    quoted.map((post) => post && quoteOf(post)),
  )
}

/** @returns the posts that are present, whether read now or before. */
export function loadPosts(
  loader: Loader,
  state: FeedState,
  ids: Iterable<number | undefined>,
): Post[] {
  const wanted = new Set<number>()
  for (const id of ids) if (id) wanted.add(id)
  const unread = [...wanted].filter((id) => !state.posts.has(id))
  if (unread.length > 0) {
    for (const { ref, post } of readPosts(loader, unread)) {
      state.postRefs.set(ref.id, ref)
      if (post) state.posts.set(post.id, post)
    }
  }
  return [...wanted].map((id) => state.posts.get(id)).filter((post) => post !== undefined)
}

/** Loads only the refs of posts, with their authors. */
export function loadRefs(loader: Loader, state: FeedState, ids: (number | undefined)[]): void {
  const unread = new Set(ids.filter((id) => id !== undefined && !state.postRefs.has(id)))
  if (unread.size === 0) return
  const rows = loader.readers.posts.keys(unread as Set<number>)
  for (const row of rows) state.postRefs.set(row.id, toRef(loader, row))
}

function toRef(loader: Loader, { id, uid, rkey, state }: PostKeyRow): PostRef {
  const uri = recordUri(loader.context.actors.didOf(uid), POST, rkey)
  return { id, uid, uri, isStub: isWithoutRecord(state) }
}
/** posts.id of the quoted post. */
function quoteOf({ embedded }: Post): number | undefined {
  return embedded?.collection === POST ? embedded.id : undefined
}
