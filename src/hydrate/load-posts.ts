// Posts by layers, as the reference does it: the posts in front (those asked for, and in a feed
// their parents and roots), then the roots of those and what they quote, then what the quoted
// ones quote. One statement a layer.

import { unpackCid } from '../store/keys.ts'
import { VIOLATES_POSTGATE, VIOLATES_THREADGATE } from '../store/post-flags.ts'
import { PRESENT, STUB } from '../store/posts.ts'
import type { PostKeyRow, PostRow } from '../store/read/posts.ts'
import { recordUri } from './at-uri.ts'
import { embeddedRecord } from './embedded-record.ts'
import type { Loader } from './page.ts'
import { parseRecord } from './parse-record.ts'
import { isSoundPost } from './record-shapes.ts'
import type { FeedState, Post, PostRef } from './types.ts'

const POST = 'app.bsky.feed.post'

/** @returns the posts in front: those asked for, their parents and their roots. */
export function loadThreads(loader: Loader, state: FeedState, ids: Iterable<number>): Post[] {
  const asked = loadPosts(loader, state, ids)
  const pointedAt = asked.flatMap(({ root, parent }) => [root, parent])
  const ancestors = loadPosts(loader, state, pointedAt)
  const parents = asked.map(({ parent }) => state.posts.get(parent ?? 0))
  loadRefs(
    loader,
    state,
    parents.map((parent) => parent?.parent),
  )
  return [...new Set([...asked, ...ancestors])]
}

/** Loads what the posts in front need around them. */
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

/** @returns those of the posts that are present, whether read now or before. */
export function loadPosts(
  loader: Loader,
  state: FeedState,
  ids: Iterable<number | undefined>,
): Post[] {
  const wanted = new Set<number>()
  for (const id of ids) if (id) wanted.add(id)
  const unread = [...wanted].filter((id) => !state.posts.has(id))
  if (unread.length > 0) {
    for (const row of loader.readers.posts(unread)) addPost(loader, state, row)
  }
  return [...wanted].map((id) => state.posts.get(id)).filter((post) => post !== undefined)
}

function loadRefs(loader: Loader, state: FeedState, ids: (number | undefined)[]): void {
  const unread = new Set(ids.filter((id) => id !== undefined && !state.postRefs.has(id)))
  if (unread.size === 0) return
  const rows = loader.readers.postKeys(unread as Set<number>)
  for (const row of rows) state.postRefs.set(row.id, toRef(loader, row))
}

function addPost(loader: Loader, state: FeedState, row: PostRow): void {
  const ref = toRef(loader, row)
  state.postRefs.set(row.id, ref)
  const post = toPost(loader, ref, row)
  if (post) state.posts.set(row.id, post)
}

function toRef(loader: Loader, { id, uid, rkey, state }: PostKeyRow): PostRef {
  const uri = recordUri(loader.parts.actors.didOf(uid), POST, rkey)
  return { id, uid, uri, isStub: state === STUB }
}

function toPost(loader: Loader, ref: PostRef, row: PostRow): Post | undefined {
  if (row.state !== PRESENT || row.cid === null || row.sortAt === null) return undefined
  const record = parseRecord<Post['record']>(row.record, {
    kind: 'post',
    isSound: isSoundPost,
    onUnusable: loader.onUnusable,
  })
  if (!record) return undefined
  return {
    ...ref,
    cid: unpackCid(row.cid),
    record,
    sortAt: row.sortAt,
    likeCount: row.likes,
    repostCount: row.reposts,
    replyCount: row.replies,
    quoteCount: row.quotes,
    root: row.root ?? undefined,
    parent: row.parent ?? undefined,
    embedded: embeddedRecord(record, row.quote, {
      actors: loader.parts.actors,
      lists: loader.readers.lists,
    }),
    violatesThreadgate: (row.flags & VIOLATES_THREADGATE) !== 0,
    violatesPostgate: (row.flags & VIOLATES_POSTGATE) !== 0,
  }
}

/** posts.id of the quoted post. */
function quoteOf({ embedded }: Post): number | undefined {
  return embedded?.collection === POST ? embedded.id : undefined
}
