// Sweeps a former member: removes their private state, and makes candidates of their follows, their likes and
// the records that were kept because they named the member.

import type { Db } from '../../../data/store/db.ts'
import { followEdges, likeEdges } from '../../../data/store/edges/all-edges.ts'
import {
  actsToRemove,
  deleteAct,
  deleteNotification,
  notificationsToRemove,
} from '../../../data/store/members/member-rows.ts'
import {
  activitySubscriptionsBy,
  deleteActivitySubscription,
} from '../../../data/store/private/activity-subscriptions.ts'
import { bookmarksOf, deleteBookmark } from '../../../data/store/private/bookmarks.ts'
import { deleteListMute, listMutesOf } from '../../../data/store/private/list-mutes.ts'
import { deleteMute, mutesOf } from '../../../data/store/private/mutes.ts'
import { deletePrivateRows } from '../../../data/store/private/private-rows.ts'
import { deleteThreadMute, threadMutesOf } from '../../../data/store/private/thread-mutes.ts'
import { findListKey } from '../../../data/store/records/lists.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { listersOf } from '../../../data/store/removal/unneeded.ts'
import { type IndexContext, isAuthor } from '../index-context.ts'
import { once, PAGE, type Step } from './step.ts'
import { eachPointer } from './sweep-edges.ts'

/**
 * The steps that remove private state, which exists only here; they may run ahead of the others.
 */
export const privateSteps: readonly Step[] = [
  inPages(
    (db, uid) => notificationsToRemove(db, uid, PAGE),
    (ctx, _uid, { id, post }) => {
      deleteNotification(ctx.db, id)
      if (post !== null) putGcCandidate(ctx.db, GC.post, post)
    },
  ),
  inPages(
    (db, uid) => actsToRemove(db, uid, PAGE),
    (ctx, _uid, { seq }) => deleteAct(ctx.db, seq),
  ),
  inPages(bookmarksOf, (ctx, uid, { post }) => {
    deleteBookmark(ctx.db, uid, post)
    putGcCandidate(ctx.db, GC.post, post)
  }),
  inPages(threadMutesOf, (ctx, uid, { root }) => {
    deleteThreadMute(ctx.db, uid, root)
    putGcCandidate(ctx.db, GC.post, root)
  }),
  inPages(mutesOf, (ctx, uid, { subject }) => {
    deleteMute(ctx.db, uid, subject)
    putGcCandidate(ctx.db, GC.account, subject)
  }),
  once((ctx, uid) => {
    for (const { list } of listMutesOf(ctx.db, uid)) {
      deleteListMute(ctx.db, uid, list)
      const owner = findListKey(ctx.db, list)?.uid
      if (owner !== undefined) putGcCandidate(ctx.db, GC.lists, owner)
    }
    for (const { subject } of activitySubscriptionsBy(ctx.db, uid)) {
      deleteActivitySubscription(ctx.db, uid, subject)
      putGcCandidate(ctx.db, GC.account, subject)
    }
    deletePrivateRows(ctx.db, uid)
  }),
]

export const stepsOfMember: readonly Step[] = [
  ...privateSteps,
  eachPointer(followEdges, (ctx, _uid, { subject }) => {
    if (!isAuthor(ctx, subject)) putGcCandidate(ctx.db, GC.author, subject)
  }),
  eachPointer(likeEdges, (ctx, _uid, { subject }) => putGcCandidate(ctx.db, GC.post, subject)),
  once((ctx, uid) => {
    for (const lister of listersOf(ctx.db, uid)) putGcCandidate(ctx.db, GC.lists, lister)
    if (!isAuthor(ctx, uid)) putGcCandidate(ctx.db, GC.author, uid)
  }),
]

/** Removes at most a page at once; continues as long as any row is left. */
function inPages<Row>(
  rowsOf: (db: Db, uid: number) => readonly Row[],
  remove: (ctx: IndexContext, uid: number, row: Row) => void,
): Step {
  return (ctx, uid) => {
    const page = rowsOf(ctx.db, uid).slice(0, PAGE)
    for (const row of page) remove(ctx, uid, row)
    return page.length === 0 ? undefined : 0
  }
}
