// Labels in views: first those by the request's labelers, then the record's self-labels.

import type { ComAtprotoLabelDefs } from '@atproto/api'
import type { ProfileState } from '../hydrate/types.ts'
import { type SlotKind, slot } from './json/slots.ts'

type Label = ComAtprotoLabelDefs.Label

/**
 * Labels by labelers only.
 * @param subjects - DIDs and at-URIs
 */
export function labelsOf(state: ProfileState, ...subjects: string[]): Label[] {
  // Cached views have slots for labels, and list the subjects without one (answers/cache/page.ts).
  if (state.forEveryone || state.labels.size === 0) return []
  return subjects.flatMap((subject) => state.labels.get(subject)?.labels ?? [])
}

/** Returns the same object if there are no labels, so that data cached for it stays in use. */
export function withLabels<T extends { labels?: Label[] }>(
  state: ProfileState,
  view: T,
  ...subjects: string[]
): T {
  const labels = labelsOf(state, ...subjects)
  return labels.length === 0 ? view : { ...view, labels: [...labels, ...(view.labels ?? [])] }
}

/** Adds a slot for labelers' labels to a view for everyone. */
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

/** Whether a labeler that may redact took the subject down. */
export function isTakenDownByLabel(state: ProfileState, subject: string): boolean {
  return !state.forEveryone && (state.labels.get(subject)?.isTakenDown ?? false)
}

/**
 * Whether the viewer may see a record. In lists of quotes, in notifications and among replies, a
 * record that needs review is shown only to its creator and their followers.
 * @param record - at-URI of a record by `uid`
 */
export function viewerSeesNeedsReview(
  { labels, actors, relations, viewer }: ProfileState,
  { uid, record }: { uid: number; record: string | undefined },
): boolean {
  const did = actors.get(uid)?.did ?? ''
  const isWaiting = [did, record ?? ''].some((subject) => labels.get(subject)?.needsReview)
  return !isWaiting || viewer?.uid === uid || relations.get(uid)?.following !== undefined
}
