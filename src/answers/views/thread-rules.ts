// What is shown of the posts of a thread, and which replies stand aside, as the reference has it.

import type { ThreadState } from '../hydrate/thread-types.ts'
import type { Post } from '../hydrate/types.ts'
import { viewerSeesNeedsReview } from './labels.ts'
import { isWithheld } from './members-only.ts'
import { authorDid } from './post-base.ts'
import { visibleActor } from './profile-views.ts'
import { viewerBlocks, viewerMutes } from './rules.ts'

/** A thread as its views see it. `absent`: posts that turned out not to be shown after all. */
export type ShownThread = {
  state: ThreadState
  anchor: Post
  /** at-URI, as the anchor names it. */
  rootUri: string
  opDid: string
  absent: ReadonlySet<number>
}

/** @returns undefined where the anchor can't be shown. */
export function shownThread(
  state: ThreadState,
  anchorId: number,
  absent: ReadonlySet<number>,
): ShownThread | undefined {
  const anchor = presentPost({ state, absent }, anchorId)
  if (!anchor) return undefined
  const rootUri = rootUriOf(anchor)
  return { state, anchor, rootUri, opDid: rootUri.split('/')[2] ?? '', absent }
}

/** The post, where it and its author are here. */
export function presentPost(
  { state, absent }: Pick<ShownThread, 'state' | 'absent'>,
  id: number | undefined,
): Post | undefined {
  const post = state.posts.get(id ?? 0)
  return post && visibleActor(state, post.uid) && !absent.has(post.id) ? post : undefined
}

export function isInThread({ rootUri }: ShownThread, post: Post): boolean {
  return rootUriOf(post) === rootUri
}

/** A block between the author of a post and that of its parent. */
export function isParentBlocked({ state }: ShownThread, { uid, parent }: Post): boolean {
  const above = state.postRefs.get(parent ?? 0)?.uid
  return above !== undefined && state.blocks.has(uid, above)
}

/** @returns the reply, if it is to be shown at all. */
export function shownReply(thread: ShownThread, id: number): Post | undefined {
  const post = presentPost(thread, id)
  if (!post || post.violatesThreadgate || !isInThread(thread, post)) return undefined
  if (viewerBlocks(thread.state, post.uid) || isParentBlocked(thread, post)) return undefined
  if (!viewerSeesNeedsReview(thread.state, { uid: post.uid, record: post.uri })) return undefined
  return isWithheld(thread.state, post.uid) ? undefined : post
}

export type StandsAside = {
  hiddenByThreadgate: boolean
  mutedByViewer: boolean
  /** By moderators. */
  hiddenByTag: boolean
}

/** Why the reply is not among the others; undefined where it is. */
export function standsAside(thread: ShownThread, post: Post): StandsAside | undefined {
  const { state, rootUri } = thread
  const hiddenByThreadgate = post.uid !== state.viewer?.uid && isHidden(state, rootUri, post)
  const mutedByViewer = viewerMutes(state, post.uid)
  const hiddenByTag = state.tagged.aside.has(post.id) && !isTrusted(thread, post)
  const isPin = post.record.text.trim() === '📌'
  if (!hiddenByThreadgate && !mutedByViewer && !hiddenByTag && !isPin) return undefined
  return { hiddenByThreadgate, mutedByViewer, hiddenByTag }
}

/** Whatever moderators say of it: the owner's, the viewer's own, and of those whom the viewer follows. */
function isTrusted(thread: ShownThread, post: Post): boolean {
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

export function isByOp({ opDid }: ShownThread, post: Post): boolean {
  return authorDid(post) === opDid
}

function rootUriOf({ record, uri }: Post): string {
  return record.reply?.root.uri ?? uri
}
