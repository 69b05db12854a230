// Which posts of a thread are shown, and which replies are set aside, as in the reference.

import type { ThreadState } from '../../hydrate/thread-types.ts'
import type { Post } from '../../hydrate/types.ts'
import { viewerSeesNeedsReview } from '../labels.ts'
import { isWithheld } from '../members-only.ts'
import { authorDid } from '../posts/post-base.ts'
import { visibleActor } from '../profiles/profile-views.ts'
import { viewerBlocks, viewerMutes } from '../rules.ts'

/** A thread as its views use it. `absent`: posts that could not be presented after all. */
export type VisibleThread = {
  state: ThreadState
  anchor: Post
  /** at-URI, as named by the anchor. */
  rootUri: string
  opDid: string
  absent: ReadonlySet<number>
}

/** @returns undefined if the anchor cannot be shown. */
export function visibleThread(
  state: ThreadState,
  anchorId: number,
  absent: ReadonlySet<number>,
): VisibleThread | undefined {
  const anchor = presentPost({ state, absent }, anchorId)
  if (!anchor) return undefined
  const rootUri = rootUriOf(anchor)
  return { state, anchor, rootUri, opDid: rootUri.split('/')[2] ?? '', absent }
}

/** Returns the post if it and its author can be shown. */
export function presentPost(
  { state, absent }: Pick<VisibleThread, 'state' | 'absent'>,
  id: number | undefined,
): Post | undefined {
  const post = state.posts.get(id ?? 0)
  return post && visibleActor(state, post.uid) && !absent.has(post.id) ? post : undefined
}

export function isInThread({ rootUri }: VisibleThread, post: Post): boolean {
  return rootUriOf(post) === rootUri
}

/** Whether there is a block between the authors of the post and of its parent. */
export function isParentBlocked({ state }: VisibleThread, { uid, parent }: Post): boolean {
  const above = state.postRefs.get(parent ?? 0)?.uid
  return above !== undefined && state.blocks.has(uid, above)
}

/** @returns the reply, if it may be shown at all. */
export function visibleReply(thread: VisibleThread, id: number): Post | undefined {
  const post = presentPost(thread, id)
  if (!post || post.violatesThreadgate || !isInThread(thread, post)) return undefined
  if (viewerBlocks(thread.state, post.uid) || isParentBlocked(thread, post)) return undefined
  if (!viewerSeesNeedsReview(thread.state, { uid: post.uid, record: post.uri })) return undefined
  return isWithheld(thread.state, post.uid) ? undefined : post
}

export type StandsAside = {
  hiddenByThreadgate: boolean
  mutedByViewer: boolean
  /** Set aside by a moderators' tag. */
  hiddenByTag: boolean
}

/** Why the reply is set aside; undefined if it is not. */
export function standsAside(thread: VisibleThread, post: Post): StandsAside | undefined {
  const { state, rootUri } = thread
  const hiddenByThreadgate = post.uid !== state.viewer?.uid && isHidden(state, rootUri, post)
  const mutedByViewer = viewerMutes(state, post.uid)
  const hiddenByTag = state.tagged.aside.has(post.id) && !isTrusted(thread, post)
  const isPin = post.record.text.trim() === '📌'
  if (!hiddenByThreadgate && !mutedByViewer && !hiddenByTag && !isPin) return undefined
  return { hiddenByThreadgate, mutedByViewer, hiddenByTag }
}

/**
 * Exempt from moderators' tags: replies by the owner, the viewer, and accounts the viewer follows.
 */
function isTrusted(thread: VisibleThread, post: Post): boolean {
  const { viewer, relations } = thread.state
  const isOwn = viewer !== undefined && post.uid === viewer.uid
  return isByOp(thread, post) || isOwn || relations.get(post.uid)?.following !== undefined
}

function isHidden(state: ThreadState, rootUri: string, { root, uri }: Post): boolean {
  const gate = state.threadgates.get(root ?? 0)
  return state.postRefs.get(root ?? 0)?.uri === rootUri
    ? (gate?.record.hiddenReplies?.includes(uri as `at://${string}`) ?? false)
    : false
}

export function isByOp({ opDid }: VisibleThread, post: Post): boolean {
  return authorDid(post) === opDid
}

function rootUriOf({ record, uri }: Post): string {
  return record.reply?.root.uri ?? uri
}
