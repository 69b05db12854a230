// Writes a member's document into a database, with the functions that handle the member's own requests.
// Existing state stays; a mute's scope and settings are overwritten with those of the document.

import { createActorTable } from '../../../data/graph/actor-table.ts'
import type { WriteDb } from '../../../data/store/db.ts'
import { knownPreferences } from '../../../data/store/notifications/notification-preferences.ts'
import { putActivitySubscription } from '../../../data/store/private/activity-subscriptions.ts'
import { iterateActors } from '../../../data/store/records/actors.ts'
import { fetchStored } from '../fetch-missing.ts'
import { type IndexContext, type IndexScope, internActor } from '../index-context.ts'
import { addMember } from '../members/operator-members.ts'
import {
  bookmark,
  createDraft,
  mute,
  muteList,
  setActorPreferences,
} from '../members/private-state.ts'
import { muteThread } from '../notifications/muted-threads.ts'
import {
  seeNotifications,
  setPreferences,
  setPriority,
} from '../notifications/notification-state.ts'
import { createWriter } from '../writer.ts'
import { type MemberState, timeOf } from './document.ts'
import { writeParts } from './feature-parts.ts'

/**
 * Writes everything in one transaction. `db` must be the only writer of its database. The account
 * becomes a member.
 */
export function writeState(db: WriteDb, state: MemberState, scope: IndexScope): void {
  const actors = createActorTable()
  for (const [, did] of iterateActors(db, 0)) actors.intern(did)
  createWriter({ db, memory: { actors }, scope, now: Date.now }).commit((ctx) =>
    applyState(ctx, state),
  )
}

/** The same within the caller's transaction. */
export function applyState(ctx: IndexContext, state: MemberState): void {
  addMember(ctx, state.did)
  writePrivate(ctx, state)
  writeNotifications(ctx, state)
  if (state.features) {
    const uidOf = (did: string) => internActor(ctx, did)
    writeParts(ctx.db, state.features, { uid: uidOf(state.did), uidOf })
  }
  if (state.preferences) setActorPreferences(ctx, state.did, JSON.stringify(state.preferences))
}

function writePrivate(ctx: IndexContext, state: MemberState): void {
  const { did } = state
  for (const { did: subject, createdAt, ...scope } of state.mutes) {
    mute(ctx, did, subject, { ...scope, ...when({ createdAt }) })
  }
  for (const mute of state.listMutes) {
    muteList(ctx, did, mute.list, when(mute))
    fetchStored(ctx, mute.list)
  }
  for (const threadMute of state.threadMutes)
    muteThread(ctx, did, threadMute.root, when(threadMute))
  for (const { uri, cid, ...rest } of state.bookmarks) {
    bookmark(ctx, did, { uri, cid, ...when(rest) })
    fetchStored(ctx, uri)
  }
  for (const { id, draft, updatedAt, ...rest } of state.drafts) {
    const times = { ...when(rest), ...(updatedAt && { updatedAt: timeOf(updatedAt)! }) }
    createDraft(ctx, did, { draftId: id, draft: JSON.stringify(draft), ...times })
  }
}

function writeNotifications(ctx: IndexContext, state: MemberState): void {
  const { did, notifications, activitySubscriptions } = state
  const { preferences, priority, seenAt } = notifications
  if (preferences) setPreferences(ctx, did, knownPreferences(preferences))
  if (priority !== undefined) setPriority(ctx, did, priority)
  const seen = timeOf(seenAt)
  if (seen !== undefined) seeNotifications(ctx, did, seen)
  const uid = internActor(ctx, did)
  for (const { did: subject, post, reply, createdAt } of activitySubscriptions) {
    const created_at = timeOf(createdAt) ?? ctx.now
    const subscription = { uid, post: Number(post), reply: Number(reply), created_at }
    putActivitySubscription(ctx.db, internActor(ctx, subject), subscription)
  }
}

function when({ createdAt }: { createdAt?: string | undefined }): { createdAt?: number } {
  const at = timeOf(createdAt)
  return at === undefined ? {} : { createdAt: at }
}
