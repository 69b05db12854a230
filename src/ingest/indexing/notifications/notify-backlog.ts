// A new member's notification backlog, from records indexed before, because another member's follow made them an author
// or because an older Slipstream filled the database. Entries have the records' times and count as old: before a
// member's first read, only entries after `since` are unread (answers/skeleton/notifications.ts). Covers the newest posts,
// a bounded number, so that joining costs the writer a moment at most. Mentions go first: a post that mentions a member
// notifies as a mention, whatever else it is to them.

import type { Collection } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import {
  followsOfAccount,
  likedRecordsOf,
  likesOf,
  likesOfRecord,
  newestPosts,
  type OwnPost,
  quotesOf,
  repostsOf,
} from '../../../data/store/notifications/backlog-rows.ts'
import {
  beginNotifications,
  findNotificationSettings,
  setHasBacklog,
} from '../../../data/store/notifications/notification-settings.ts'
import { deleteUnwritten, hasNotified } from '../../../data/store/notifications/notifications.ts'
import { mentionsOf } from '../../../data/store/posts/mentions.ts'
import { VIOLATES_POSTGATE } from '../../../data/store/posts/post-flags.ts'
import { type PostRow, presentReplies } from '../../../data/store/posts/posts.ts'
import { reactionsVia } from '../../../data/store/records/reaction-records.ts'
import type { IndexContext } from '../index-context.ts'
import { doesMention } from '../records/associations.ts'
import { FOLLOW, LIKE, REPOST } from './notify.ts'
import { doesReplyNotify, MAX_HEIGHT, notifyOfPostRow } from './notify-post.ts'
import {
  notifyOfFollowRow,
  notifyOfLikeRow,
  notifyOfReactionVia,
  notifyOfRecordLikeRow,
  notifyOfRepostRow,
} from './notify-rows.ts'

const MAX_POSTS = 200
const MAX_FOLLOWS = 200
const MAX_MENTIONS = 200
/** Rows read in all, besides follows, and of one kind for one post. */
const MAX_ROWS = 1_000
const MAX_ROWS_A_POST = 50
/** Feeds, starter packs and labelers. */
const MAX_RECORDS = 20
/** Reactions via the member's reposts. */
const MAX_VIAS = 200

type Budget = { rows: number }

/**
 * Begins notifications for a new member, and builds the backlog once they read (`reads`), when it
 * is worth its time. Afterwards costs one lookup.
 */
export function beginToNotify(ctx: IndexContext, uid: number, reads: boolean): void {
  const settings = findNotificationSettings(ctx.db, uid)
  if (settings?.since == null) beginNotifications(ctx.db, uid, ctx.now)
  if (!reads || settings?.has_backlog === 1) return
  setHasBacklog(ctx.db, uid)
  buildBacklog(ctx, uid)
}

function buildBacklog(ctx: IndexContext, uid: number): void {
  const { db } = ctx
  deleteUnwritten(db, uid)
  const follows = followsOfAccount(db, uid, MAX_FOLLOWS)
  for (const follow of untold(ctx, follows, { to: uid, collection: FOLLOW })) {
    notifyOfFollowRow(ctx, follow, uid)
  }
  tellOfMentions(ctx, uid)
  const budget = { rows: MAX_ROWS }
  for (const post of newestPosts(db, uid, MAX_POSTS)) {
    if (budget.rows <= 0) break
    tellOf(ctx, { uid, post }, budget)
  }
  for (const own of likedRecordsOf(db, uid, MAX_RECORDS)) {
    const likes = likesOfRecord(db, own.id, MAX_ROWS_A_POST)
    for (const like of untold(ctx, likes, { to: uid, collection: LIKE })) {
      notifyOfRecordLikeRow(ctx, like, { uid, own })
    }
  }
  // Last, because once a record has notified about a post, it does not notify for another reason.
  for (const reaction of reactionsVia(db, uid, MAX_VIAS)) notifyOfReactionVia(ctx, reaction, uid)
}

function tellOfMentions(ctx: IndexContext, uid: number): void {
  const did = ctx.actors.didOf(uid)
  const newest = mentionsOf(ctx.db, did, MAX_ROWS)
    .sort((a, b) => b.sort_at - a.sort_at)
    .slice(0, MAX_MENTIONS)
  for (const post of newest) {
    if (post.uid === uid || !doesMention(ctx.db, post.id, did)) continue
    notifyOfPostRow(ctx, post, { to: uid, reason: 'mention' })
  }
}

function tellOf(ctx: IndexContext, own: { uid: number; post: OwnPost }, budget: Budget): void {
  const { db } = ctx
  const { id } = own.post
  const take = <T>(read: (limit: number) => T[]): T[] => {
    const rows = budget.rows > 0 ? read(Math.min(MAX_ROWS_A_POST, budget.rows)) : []
    budget.rows -= rows.length
    return rows
  }
  let below = [id]
  for (let depth = 1; depth <= MAX_HEIGHT && below.length > 0; depth++) {
    const replies = below.flatMap((parent) => take((limit) => presentReplies(db, parent, limit)))
    for (const reply of replies) {
      if (doesReplyNotify(ctx, reply, id)) tellOfPost(ctx, own, reply, 'reply')
    }
    below = replies.map((reply) => reply.id)
  }
  for (const quote of take((limit) => quotesOf(db, id, limit))) {
    if (!(quote.flags & VIOLATES_POSTGATE)) tellOfPost(ctx, own, quote, 'quote')
  }
  const reposts = take((limit) => repostsOf(db, id, limit))
  for (const repost of untold(ctx, reposts, { to: own.uid, collection: REPOST })) {
    notifyOfRepostRow(ctx, repost, own)
  }
  const likes = take((limit) => likesOf(db, id, limit))
  for (const like of untold(ctx, likes, { to: own.uid, collection: LIKE })) {
    notifyOfLikeRow(ctx, like, own)
  }
}

function tellOfPost(
  ctx: IndexContext,
  { uid, post }: { uid: number; post: OwnPost },
  row: Pick<PostRow, 'uid' | 'rkey' | 'sort_at'>,
  reason: 'reply' | 'quote',
): void {
  notifyOfPostRow(ctx, row, { to: uid, reason, subject: post.rkey })
}

/** The first of several records by one account, unless one of them has notified already. */
function untold<Row extends { uid: number; rkey: PackedRkey }>(
  ctx: IndexContext,
  rows: Row[],
  { to, collection }: { to: number; collection: Collection },
): Row[] {
  const isNotified = ({ uid, rkey }: Row) =>
    hasNotified(ctx.db, { author: uid, collection, rkey }, to)
  const seen = new Set(rows.filter(isNotified).map(({ uid }) => uid))
  return rows.filter(({ uid }) => !seen.has(uid) && seen.add(uid))
}
