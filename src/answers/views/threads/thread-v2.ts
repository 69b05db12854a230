// The items of app.bsky.unspecced.getPostThreadV2 and getPostThreadOtherV2: a flat list, from top to bottom.
// First plans what is shown where; the planned posts are filled in once presented.

import type { ThreadState } from '../../hydrate/thread-types.ts'
import type { Post } from '../../hydrate/types.ts'
import type { ReadyJson } from '../json/ready-json.ts'
import { isWithheld } from '../members-only.ts'
import { authorDid } from '../posts/post-base.ts'
import { blockedProfileViewer } from '../profiles/profile-viewer.ts'
import { viewerBlocks } from '../rules.ts'
import { inThreadOrder, newestFirst } from './thread-order.ts'
import {
  isByOp,
  isInThread,
  isParentBlocked,
  presentPost,
  standsAside,
  type VisibleThread,
  visibleReply,
  visibleThread,
} from './thread-rules.ts'

const DEFS = 'app.bsky.unspecced.defs'

type Position = { uri: string; depth: number }

type PlannedItem =
  | (Position & { kind: 'notFound' | 'noUnauthenticated' })
  | (Position & { kind: 'blocked'; post: Post })
  | PlannedPost

type PlannedPost = Position & {
  kind: 'post'
  post: Post
  moreParents: boolean
  moreReplies: number
  opThread: boolean
  hiddenByThreadgate: boolean
  mutedByViewer: boolean
}

type ThreadPlan = { items: PlannedItem[]; hasOtherReplies: boolean }

type ThreadV2Options = {
  anchor: number
  anchorUri: string
  /** posts.id of all other posts that were read. */
  ids: readonly number[]
  opThread: readonly number[] | undefined
  above: number
  below: number
  branchingFactor: number
  sort: string
  absent: ReadonlySet<number>
}

/** State shared by all steps of the walk through a thread. */
type Walk = VisibleThread & {
  options: ThreadV2Options
  line: ReadonlySet<number>
  replies: Map<number, Post[]>
}

export function planThread(state: ThreadState, options: ThreadV2Options): ThreadPlan {
  const { anchor, anchorUri: uri } = options
  const thread = visibleThread(state, anchor, options.absent)
  if (!thread) return alone({ uri, depth: 0, kind: 'notFound' })
  const post = thread.anchor
  if (viewerBlocks(state, post.uid)) return alone({ uri, depth: 0, kind: 'blocked', post })
  const line = new Set(options.opThread ?? [])
  const walk = { ...thread, options, line, replies: repliesByParent(thread, options.ids) }
  const above = post.violatesThreadgate ? NOTHING_ABOVE : planAbove(walk, post, -1)
  const isOpThread = isByOp(thread, post) && (above.items.length === 0 || above.isOpThread)
  if (isWithheld(thread.state, post.uid)) {
    const items: PlannedItem[] = [...above.items, { uri, depth: 0, kind: 'noUnauthenticated' }]
    return { items, hasOtherReplies: false }
  }
  const below = post.violatesThreadgate
    ? { items: [], hasOtherReplies: false }
    : planBelow(walk, post, { depth: 1, isOpThread })
  const item = plannedPost(post, { depth: 0, isOpThread, moreReplies: 0 })
  return {
    items: [...above.items, item, ...below.items],
    hasOtherReplies: below.hasOtherReplies,
  }
}

/** Plans the direct replies that are set aside. */
export function planOthers(
  state: ThreadState,
  options: Pick<ThreadV2Options, 'anchor' | 'ids' | 'absent'>,
): PlannedPost[] {
  const thread = visibleThread(state, options.anchor, options.absent)
  if (!thread || viewerBlocks(state, thread.anchor.uid)) return []
  const direct = repliesByParent(thread, options.ids).get(thread.anchor.id) ?? []
  const others = direct.flatMap(({ id }) => {
    const post = visibleReply(thread, id)
    const aside = post && standsAside(thread, post)
    return aside ? [{ post, aside }] : []
  })
  const order = { sort: undefined, opThread: new Set<number>() }
  return inThreadOrder(thread, others, order).map(({ post, aside }) => ({
    uri: post.uri,
    depth: 1,
    kind: 'post',
    post,
    moreParents: false,
    moreReplies: 0,
    opThread: false,
    ...aside,
  }))
}

/** @param post - the presented post; undefined for other items */
export function threadItem(
  { state, opThread }: { state: ThreadState; opThread: readonly number[] | undefined },
  item: PlannedItem,
  post: ReadyJson | object | undefined,
): object {
  const { uri, depth } = item
  switch (item.kind) {
    case 'notFound':
      return { uri, depth, value: { $type: `${DEFS}#threadItemNotFound` } }
    case 'noUnauthenticated':
      return { uri, depth, value: { $type: `${DEFS}#threadItemNoUnauthenticated` } }
    case 'blocked': {
      const viewer = blockedProfileViewer(state, item.post.uid)
      const author = { did: authorDid(item.post), viewer }
      return { uri, depth, value: { $type: `${DEFS}#threadItemBlocked`, author } }
    }
    case 'post': {
      const { moreParents, moreReplies, hiddenByThreadgate, mutedByViewer } = item
      const position = positionIn(opThread, item)
      const flags = { moreParents, moreReplies, ...position, hiddenByThreadgate, mutedByViewer }
      return { uri, depth, value: { $type: `${DEFS}#threadItemPost`, post, ...flags } }
    }
  }
}

function alone(item: PlannedItem): ThreadPlan {
  return { items: [item], hasOtherReplies: false }
}

/** The owner's chain, if there is one, overrides the planned `opThread`. */
function positionIn(line: readonly number[] | undefined, { post, opThread }: PlannedPost) {
  if (!line) return { opThread }
  const index = line.indexOf(post.id)
  if (index < 0) return { opThread: false }
  return { opThread: true, opThreadPostIndex: index + 1, opThreadPostCount: line.length }
}

type Above = { items: PlannedItem[]; isOpThread: boolean }
const NOTHING_ABOVE: Above = { items: [], isOpThread: false }

function planAbove(walk: Walk, child: Post, depth: number): Above {
  const uri = child.record.reply?.parent.uri
  if (Math.abs(depth) > walk.options.above || uri === undefined) return NOTHING_ABOVE
  const post = presentPost(walk, child.parent)
  if (!post) return { items: [{ uri, depth, kind: 'notFound' }], isOpThread: false }
  if (!isInThread(walk, post)) return NOTHING_ABOVE
  if (viewerBlocks(walk.state, post.uid) || isParentBlocked(walk, child)) {
    return { items: [{ uri, depth, kind: 'blocked', post }], isOpThread: false }
  }
  const above = planAbove(walk, post, depth - 1)
  const isOpThread = isByOp(walk, post) && (above.items.length === 0 || above.isOpThread)
  const moreParents = post.record.reply !== undefined && above.items.length === 0
  const item: PlannedItem = isWithheld(walk.state, post.uid)
    ? { uri, depth, kind: 'noUnauthenticated' }
    : { ...plannedPost(post, { depth, isOpThread, moreReplies: 0 }), moreParents }
  return { items: [...above.items, item], isOpThread }
}

function planBelow(
  walk: Walk,
  parent: Post,
  { depth, isOpThread }: { depth: number; isOpThread: boolean },
): ThreadPlan {
  const { below, branchingFactor, sort } = walk.options
  if (depth > below) return { items: [], hasOtherReplies: false }
  const visible = (walk.replies.get(parent.id) ?? []).filter(({ id }) => visibleReply(walk, id))
  const among = visible.filter((post) => !standsAside(walk, post)).map((post) => ({ post }))
  const ordered = inThreadOrder(walk, among, { sort, opThread: walk.line })
  // All direct replies to the anchor are shown.
  const filtered = depth === 1 ? ordered : ordered.slice(0, branchingFactor)
  const items: PlannedItem[] = []
  for (const { post } of filtered) {
    const goesOn = { depth, isOpThread: isOpThread && isByOp(walk, post) }
    const allowance = depth === below ? 0 : branchingFactor
    const moreReplies = Math.max(post.replyCount - allowance, 0)
    items.push(plannedPost(post, { ...goesOn, moreReplies }))
    for (const item of planBelow(walk, post, { ...goesOn, depth: depth + 1 }).items) {
      items.push(item)
    }
  }
  return { items, hasOtherReplies: depth === 1 && among.length < visible.length }
}

function plannedPost(
  post: Post,
  { depth, isOpThread, moreReplies }: { depth: number; isOpThread: boolean; moreReplies: number },
): PlannedPost {
  return {
    uri: post.uri,
    depth,
    kind: 'post',
    post,
    moreParents: false,
    moreReplies,
    opThread: isOpThread,
    hiddenByThreadgate: false,
    mutedByViewer: false,
  }
}

/**
 * Newest first. The anchor is excluded as a reply, since the thread could otherwise form a cycle.
 */
export function repliesByParent(
  { state, anchor }: VisibleThread,
  ids: readonly number[],
): Map<number, Post[]> {
  const byParent = new Map<number, Post[]>()
  for (const id of new Set(ids)) {
    const post = state.posts.get(id)
    if (post?.parent === undefined || id === anchor.id) continue
    const siblings = byParent.get(post.parent) ?? []
    siblings.push(post)
    byParent.set(post.parent, siblings)
  }
  for (const siblings of byParent.values()) siblings.sort(newestFirst)
  return byParent
}
