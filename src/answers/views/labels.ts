// Labels in views: what the request's labelers say, and then what the record says of itself.

import type { ComAtprotoLabelDefs } from '@atproto/api'
import type { ProfileState } from '../hydrate/types.ts'
import { type SlotKind, slot } from './slots.ts'

type Label = ComAtprotoLabelDefs.Label

/**
 * By labelers alone.
 * @param subjects - DIDs and at-URIs
 */
export function labelsOf(state: ProfileState, ...subjects: string[]): Label[] {
  // Cached views leave room for them where they may, and know where they may not (answers/cache/page.ts).
  if (state.forEveryone || state.labels.size === 0) return []
  return subjects.flatMap((subject) => state.labels.get(subject)?.labels ?? [])
}

/** The same object where there is nothing to add, so that what is kept of it stays in use. */
export function withLabels<T extends { labels?: Label[] }>(
  state: ProfileState,
  view: T,
  ...subjects: string[]
): T {
  const labels = labelsOf(state, ...subjects)
  return labels.length === 0 ? view : { ...view, labels: [...labels, ...(view.labels ?? [])] }
}

/** Of a view for everyone, with room for what labelers say. */
export function withLabelsSlot<T extends { labels?: Label[] }>(
  view: T,
  kind: SlotKind,
  id: number,
): T {
  return { ...view, labels: [slot<Label>(kind, id), ...(view.labels ?? [])] }
}

export function isImpersonation(state: ProfileState, did: string): boolean {
  return !state.forEveryone && (state.labels.get(did)?.isImpersonation ?? false)
}

/** By a labeler that may redact. */
export function isTakenDownByLabel(state: ProfileState, subject: string): boolean {
  return !state.forEveryone && (state.labels.get(subject)?.isTakenDown ?? false)
}

/**
 * Where something waits for review, only its creator and those who follow them see it in lists of
 * quotes, in notifications and among replies.
 * @param record - at-URI of what `uid` created
 */
export function viewerSeesNeedsReview(
  { labels, actors, relations, viewer }: ProfileState,
  { uid, record }: { uid: number; record: string | undefined },
): boolean {
  const did = actors.get(uid)?.did ?? ''
  const isWaiting = [did, record ?? ''].some((subject) => labels.get(subject)?.needsReview)
  return !isWaiting || viewer?.uid === uid || relations.get(uid)?.following !== undefined
}
