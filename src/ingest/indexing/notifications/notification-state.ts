// Members' notification settings: how far they have seen notifications, which kinds they want, and whose
// posts. Called through `Indexer.run`, so that rows are committed before the request is answered.

import { patchedPreferences } from '../../../data/store/notifications/notification-preferences.ts'
import {
  findNotificationSettings,
  raiseNotificationsSeen,
  setNotificationPreferences,
  setNotificationPriority,
} from '../../../data/store/notifications/notification-settings.ts'
import {
  deleteActivitySubscription,
  putActivitySubscription,
} from '../../../data/store/private/activity-subscriptions.ts'
import { type IndexContext, internActor } from '../index-context.ts'

/** Milliseconds; a time in the future counts as now. */
export function seeNotifications(ctx: IndexContext, did: string, seenAt: number): void {
  const at = Math.max(0, Math.min(seenAt, ctx.now))
  raiseNotificationsSeen(ctx.db, internActor(ctx, did), at)
}

export function setPriority(ctx: IndexContext, did: string, isOn: boolean): void {
  setNotificationPriority(ctx.db, internActor(ctx, did), isOn)
}

/**
 * As in the reference, a member who sets this before ever marking notifications as seen has seen
 * everything.
 */
export function choosePriority(ctx: IndexContext, did: string, isOn: boolean): void {
  setPriority(ctx, did, isOn)
  const uid = internActor(ctx, did)
  const seenAt = findNotificationSettings(ctx.db, uid)?.seen_at
  if (seenAt == null) raiseNotificationsSeen(ctx.db, uid, ctx.now)
}

/** @param patch - as in app.bsky.notification.putPreferencesV2 */
export function setPreferences(
  ctx: IndexContext,
  did: string,
  patch: Record<string, unknown>,
): void {
  const uid = internActor(ctx, did)
  const stored = findNotificationSettings(ctx.db, uid)?.preferences ?? null
  setNotificationPreferences(ctx.db, uid, patchedPreferences(stored, patch))
}

/** A subscription to neither posts nor replies ends it. */
export function subscribeToActivity(
  ctx: IndexContext,
  did: string,
  { subject, post, reply }: { subject: string; post: boolean; reply: boolean },
): void {
  if (!post && !reply) {
    deleteActivitySubscription(ctx.db, ctx.actors.uidOf(did), ctx.actors.uidOf(subject))
    return
  }
  const uid = internActor(ctx, did)
  const flags = { post: Number(post), reply: Number(reply) }
  const subscription = { uid, ...flags, created_at: ctx.now }
  putActivitySubscription(ctx.db, internActor(ctx, subject), subscription)
}
