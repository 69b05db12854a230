// Converts members' acts on their private state to changes that nodes share (features/cluster/engine/private-changes.ts),
// and back. Among changes with the same key only the last one matters.

import type { FeatureRequest, PrivateAct } from '../../../bridge/messages.ts'
import { type MemberState, timeOf } from '../../../ingest/indexing/member-state/document.ts'
import {
  sharedKeyOf,
  sharedRequestsOf,
} from '../../../ingest/indexing/member-state/feature-parts.ts'
import type { PrivateChange } from '../engine/private-changes.ts'

export const SEEN = 'notifications-seen'

const keys: { [Kind in PrivateAct['kind']]: (act: PrivateAct & { kind: Kind }) => string } = {
  mute: ({ subjectDid }) => `mute ${subjectDid}`,
  unmute: ({ subjectDid }) => `mute ${subjectDid}`,
  'mute-list': ({ list }) => `mute-list ${list}`,
  'unmute-list': ({ list }) => `mute-list ${list}`,
  'mute-thread': ({ root }) => `mute-thread ${root}`,
  'unmute-thread': ({ root }) => `mute-thread ${root}`,
  bookmark: ({ uri }) => `bookmark ${uri}`,
  unbookmark: ({ uri }) => `bookmark ${uri}`,
  'create-draft': ({ draftId }) => `draft ${draftId}`,
  'update-draft': ({ draftId }) => `draft ${draftId}`,
  'delete-draft': ({ draftId }) => `draft ${draftId}`,
  'actor-preferences': () => 'actor-preferences',
  'notifications-seen': () => SEEN,
  'notification-priority': () => 'notification-priority',
  'notification-preferences': ({ patch }) => `notification-preferences ${Object.keys(patch)}`,
  'activity-subscription': ({ subject }) => `activity-subscription ${subject}`,
}

/** A member's act, of the core or of a feature that shares what it keeps of members. */
export type SharedAct = PrivateAct | FeatureRequest

export function isShared<T extends { kind: string }>(act: T): act is T & SharedAct {
  return 'body' in act ? sharedKeyOf(act as never) !== undefined : Object.hasOwn(keys, act.kind)
}

export function changesOf(act: SharedAct, madeAt: number): PrivateChange[] {
  return partsOf(act).map((part) => ({ key: keyOf(part), change: JSON.stringify(part), madeAt }))
}

/** Returns none for acts that this version does not know. */
export function actsOf({ change }: PrivateChange): SharedAct[] {
  const act = JSON.parse(change) as SharedAct
  if (!isShared(act)) return []
  // If only the last change of a draft is known, the draft does not exist yet.
  return act.kind === 'update-draft' ? [{ ...act, kind: 'create-draft' }, act] : [act]
}

/** A member's current state, as the changes that would create it. */
export function changesOfState(state: MemberState): PrivateChange[] {
  const at = ({ createdAt }: { createdAt?: string }) => timeOf(createdAt) ?? 0
  const { notifications } = state
  const { preferences, priority, seenAt } = notifications
  const seen = timeOf(seenAt)
  const acts: [SharedAct, number][] = [
    ...state.mutes.map(({ did, createdAt, ...scope }): [PrivateAct, number] => [
      { kind: 'mute', subjectDid: did, ...scope },
      at({ ...(createdAt && { createdAt }) }),
    ]),
    ...state.listMutes.map((mute): [PrivateAct, number] => [
      { kind: 'mute-list', list: mute.list },
      at(mute),
    ]),
    ...state.threadMutes.map((threadMute): [PrivateAct, number] => [
      { kind: 'mute-thread', root: threadMute.root },
      at(threadMute),
    ]),
    ...state.bookmarks.map(({ uri, cid, ...item }): [PrivateAct, number] => [
      { kind: 'bookmark', uri, cid },
      at(item),
    ]),
    ...state.drafts.map(({ id, draft, ...item }): [PrivateAct, number] => [
      { kind: 'create-draft', draftId: id, draft: JSON.stringify(draft) },
      at(item),
    ]),
    ...state.activitySubscriptions.map(({ did, post, reply, ...item }): [PrivateAct, number] => [
      { kind: 'activity-subscription', subject: did, post, reply },
      at(item),
    ]),
    ...(seen === undefined ? [] : [notTimed({ kind: 'notifications-seen', seenAt: seen }, seen)]),
    ...(priority ? [notTimed({ kind: 'notification-priority', priority }, seen)] : []),
    ...(preferences ? [notTimed({ kind: 'notification-preferences', patch: preferences })] : []),
    ...(state.preferences
      ? [notTimed({ kind: 'actor-preferences', preferences: JSON.stringify(state.preferences) })]
      : []),
    ...sharedRequestsOf(state.features ?? {}).map(({ madeAt, ...act }) => notTimed(act, madeAt)),
  ]
  return acts.flatMap(([act, madeAt]) => changesOf(act, madeAt))
}

function notTimed(act: SharedAct, madeAt = 0): [SharedAct, number] {
  return [act, madeAt]
}

/** Splits a patch into one act for each setting, so that each has its own key. */
function partsOf(act: SharedAct): SharedAct[] {
  if (act.kind !== 'notification-preferences') return [act]
  return Object.entries(act.patch).map(([name, value]) => ({ ...act, patch: { [name]: value } }))
}

function keyOf(act: SharedAct): string {
  if ('body' in act) return sharedKeyOf(act)!
  const key = keys[act.kind] as (act: PrivateAct) => string
  return key(act)
}
