// Sends a member's document to an AppView as individual client calls, oldest first: for members of a server
// whose data folder they cannot access, or of one that is running.

import type { MemberState } from '../../src/ingest/indexing/member-state/document.ts'
import type { AppView } from './appview.ts'

/** Calls `refused` for everything that the AppView does not accept, and continues. */
export async function pushState(
  appView: AppView,
  state: MemberState,
  refused: (what: string) => void,
): Promise<void> {
  for (const [nsid, input] of callsOf(state)) {
    try {
      await appView.post(nsid, input)
    } catch (error) {
      refused((error as Error).message)
    }
  }
}

function* callsOf(state: MemberState): Generator<[nsid: string, input: unknown]> {
  for (const { did, createdAt: _, ...scope } of state.mutes) {
    yield ['app.bsky.graph.muteActor', { actor: did, ...scope }]
  }
  for (const { list } of state.listMutes) yield ['app.bsky.graph.muteActorList', { list }]
  for (const { root } of state.threadMutes) yield ['app.bsky.graph.muteThread', { root }]
  for (const { uri, cid } of state.bookmarks)
    yield ['app.bsky.bookmark.createBookmark', { uri, cid }]
  for (const { draft } of state.drafts) yield ['app.bsky.draft.createDraft', { draft }]
  for (const { did, post, reply } of state.activitySubscriptions) {
    const activitySubscription = { post, reply }
    yield ['app.bsky.notification.putActivitySubscription', { subject: did, activitySubscription }]
  }
  const { preferences, priority, seenAt } = state.notifications
  if (preferences) yield ['app.bsky.notification.putPreferencesV2', withoutDeprecated(preferences)]
  // Must precede the priority, because setting one marks everything as seen.
  if (seenAt !== undefined) yield ['app.bsky.notification.updateSeen', { seenAt }]
  if (priority !== undefined) yield ['app.bsky.notification.putPreferences', { priority }]
  yield* callsOfFeatures(state.features ?? {})
}

type Features = {
  push?: { quietHours: object }
  read?: { positions: { timeline: string; position: string }[] }
}

function* callsOfFeatures({ push, read }: Features): Generator<[nsid: string, input: unknown]> {
  if (push) yield ['io.slipstream.notification.putQuietHours', push.quietHours]
  for (const { timeline, position } of read?.positions ?? [])
    yield ['io.slipstream.feed.putPosition', { timeline, position }]
}

/** An AppView does not handle chat preferences. */
function withoutDeprecated({ chat: _, ...preferences }: Record<string, unknown>) {
  return preferences
}
