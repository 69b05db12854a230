// Removes an account's private state, which exists only here, its membership and its admission: mutes,
// bookmarks, drafts, subscriptions, preferences, notifications.

import { deleteAdmission } from '../../../data/store/members/admissions.ts'
import {
  activitySubscriptionsBy,
  deleteActivitySubscription,
} from '../../../data/store/private/activity-subscriptions.ts'
import { bookmarksOf, deleteBookmark } from '../../../data/store/private/bookmarks.ts'
import { deleteListMute, listMutesOf } from '../../../data/store/private/list-mutes.ts'
import { deleteMute, mutesOf } from '../../../data/store/private/mutes.ts'
import { deletePrivateRows } from '../../../data/store/private/private-rows.ts'
import { deleteThreadMute, threadMutesOf } from '../../../data/store/private/thread-mutes.ts'
import { findActor } from '../../../data/store/records/actors.ts'
import type { IndexContext } from '../index-context.ts'
import { removeMember } from './members.ts'

export function forgetPrivateState(ctx: IndexContext, uid: number): void {
  const { db } = ctx
  for (const { subject } of mutesOf(db, uid)) deleteMute(db, uid, subject)
  for (const { list } of listMutesOf(db, uid)) deleteListMute(db, uid, list)
  for (const { root } of threadMutesOf(db, uid)) deleteThreadMute(db, uid, root)
  for (const { post } of bookmarksOf(db, uid)) deleteBookmark(db, uid, post)
  for (const { subject } of activitySubscriptionsBy(db, uid)) {
    deleteActivitySubscription(db, uid, subject)
  }
  deletePrivateRows(db, uid)
  const did = findActor(db, uid)?.did
  if (did === undefined) return
  deleteAdmission(db, did)
  removeMember(ctx, did)
}
