// The order of the replies to one post, as in the reference: the owner's chain first, then the owner's other
// replies, the viewer's own, those by followed accounts, all others, and those that moderators bump down.
// Among replies set aside, those hidden by the gate are after the rest, then those hidden by moderators, and
// muted ones last. Within each of these tiers, the requested order.

import type { Post } from '../../hydrate/types.ts'
import { isByOp, type StandsAside, type VisibleThread } from './thread-rules.ts'

type ReplyOrder = {
  /** `newest`, `oldest` or `top`; anything else is `newest`. */
  sort: string | undefined
  /** posts.id */
  opThread: ReadonlySet<number>
}

type OrderedReply = { post: Post; aside?: StandsAside }

const TIER = {
  opThread: 0,
  op: 1,
  viewer: 2,
  followed: 3,
  other: 4,
  bumpedDown: 5,
  hidden: 6,
  tagged: 7,
  muted: 8,
} as const

const OP_LIKE_FACTOR = 1.45

/** Returns a new array. */
export function inThreadOrder<T extends OrderedReply>(
  thread: VisibleThread,
  replies: readonly T[],
  order: ReplyOrder,
): T[] {
  const ranked = replies.map((reply) => ({
    reply,
    tier: tierOf(thread, reply, order),
    top: order.sort === 'top' && !reply.aside ? topValue(thread, reply.post) : 0,
  }))
  const isOldestFirst = order.sort === 'oldest'
  ranked.sort((a, b) => {
    if (a.tier !== b.tier) return a.tier - b.tier
    if (a.top !== b.top) return b.top - a.top
    const byAge = newestFirst(a.reply.post, b.reply.post)
    return isOldestFirst && !a.reply.aside && !b.reply.aside ? -byAge : byAge
  })
  return ranked.map(({ reply }) => reply)
}

/** Among posts with the same time, the one indexed later is newer. */
export function newestFirst(a: Post, b: Post): number {
  return b.sortAt - a.sortAt || b.id - a.id
}

function tierOf(thread: VisibleThread, { post, aside }: OrderedReply, { opThread }: ReplyOrder) {
  const { state } = thread
  if (opThread.has(post.id)) return TIER.opThread
  if (isByOp(thread, post)) return TIER.op
  if (state.viewer && post.uid === state.viewer.uid) return TIER.viewer
  if (aside?.mutedByViewer) return TIER.muted
  if (aside?.hiddenByTag) return TIER.tagged
  if (aside?.hiddenByThreadgate) return TIER.hidden
  if (!aside && state.relations.get(post.uid)?.following !== undefined) return TIER.followed
  return !aside && state.tagged.bumpedDown.has(post.id) ? TIER.bumpedDown : TIER.other
}

function topValue({ state }: VisibleThread, { id, likeCount }: Post): number {
  return Math.log(3 + likeCount) * (state.opLikes.has(id) ? OP_LIKE_FACTOR : 1)
}
