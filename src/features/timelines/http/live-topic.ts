// What the live feed knows of a timeline with listeners: its name, its row, whose blocks hold, and the numbers it skipped.

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import { findList } from '../../../data/store/records/lists.ts'
import type { Readers, SourceContext } from '../sources/open-sources.ts'
import type { TimelineKey } from '../sources/timeline-key.ts'
import type { TimelineGap, TimelineSource } from '../sources/types.ts'

/** One timeline with listeners. */
export type Topic = {
  readonly key: TimelineKey
  readonly source: TimelineSource
  /** uid of the author or member, or row id of the list or custom timeline; 0: has none yet. */
  id: number
  /** uid of the account whose blocks hold; 0: no one's. */
  readonly viewer: number
  /** Sequence number of the latest event; undefined before the first. */
  latest: number | undefined
  listeners: number
}

/** The subject exists, unless it is a timeline of programs: its source was opened. */
export function idOf(
  { db, actors }: SourceContext,
  { custom }: Readers,
  { kind, name }: TimelineKey,
): number {
  if (kind === 'custom') return custom.find(name)?.id ?? 0
  if (kind !== 'list') return actors.uidOf(name)
  const { did, rkey } = parseRecordUri(name)!
  return findList(db, actors.uidOf(did), packRkey(rkey))!.id
}

/** One topic for each kind of reader. */
export function topicName({ text, isForOwner }: TimelineKey): string {
  return isForOwner ? `${text} for its owner` : text
}

export function viewerOf({ actors }: SourceContext, key: TimelineKey, id: number): number {
  if (key.isForOwner) return actors.uidOf(parseRecordUri(key.name)!.did)
  return key.kind === 'following' || key.kind === 'notifications' ? id : 0
}

export function gapsBetween(
  { custom }: Readers,
  { key, id, latest = 0 }: Topic,
  events: readonly { seq: number }[],
): TimelineGap[] {
  if (key.kind !== 'custom' || events.length === 0) return []
  const last = events.at(-1)!.seq
  if (last - latest === events.length) return []
  return custom
    .holes(id, latest + 1, last)
    .map(({ from, to, since }) => ({ kind: 'skipped', from, to, since }))
}
