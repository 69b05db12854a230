// An account as a reader: how many accounts it follows, how lossy that makes its timeline, and how much of
// the timeline is in memory.

import { createReader } from '../../../answers/hydrate/reader.ts'
import { keepShare } from '../../../data/graph/lossiness.ts'
import { CELEBRITY, HIDDEN, MEMBER } from '../../../data/graph/types.ts'
import { COLD_START, findBackfill } from '../../../data/store/fetching/backfills.ts'
import { findMember } from '../../../data/store/members/members.ts'
import { type ExploreContext, type Person, personOf, type Subject } from './context.ts'

type AccountView = Person & {
  isMember: boolean
  isCelebrity: boolean
  isHidden: boolean
  /** Milliseconds since 1970. */
  lastSeenAt: number | undefined
  isColdStarted: boolean
  follows: number
  followers: number
  memberFollowers: number
  reasonableLimit: number
  /** Share of incoming items that the timeline takes. */
  keepShare: number
  /** The part of the timeline in memory; undefined if there is none. */
  ring: { items: number; isTruncated: boolean; newestAt?: number; oldestAt?: number } | undefined
}

/** Longer than any ring can be (SLIPSTREAM_TIMELINE_LENGTH). */
const COMPLETE_RING = 100_000

export function accountView(context: ExploreContext, subject: Subject): AccountView {
  const { actors, db, graph, reasonableLimit } = context
  const { uid } = subject
  const flags = uid === 0 ? 0 : actors.flagsOf(uid)
  const member = findMember(db, uid)
  const state = context.hydrator.profiles([uid], createReader(undefined))
  const follows = graph.followsCount(uid)
  return {
    ...personOf(context, state, uid),
    did: subject.did,
    isMember: (flags & MEMBER) !== 0,
    isCelebrity: (flags & CELEBRITY) !== 0,
    isHidden: (flags & HIDDEN) !== 0,
    lastSeenAt: member?.last_seen_at ?? undefined,
    isColdStarted: findBackfill(db, uid, COLD_START) !== undefined,
    follows,
    followers: graph.followersCount(uid),
    memberFollowers: uid === 0 ? 0 : actors.memberFollowersOf(uid),
    reasonableLimit,
    keepShare: keepShare(reasonableLimit, follows),
    ring: ringOf(context, uid),
  }
}

function ringOf({ timelines }: ExploreContext, uid: number): AccountView['ring'] {
  const slice = timelines.read(uid, undefined, COMPLETE_RING)
  if (!slice) return undefined
  return {
    items: slice.entries.length,
    isTruncated: slice.truncated,
    newestAt: slice.entries[0]?.sortAt,
    oldestAt: slice.entries.at(-1)?.sortAt,
  }
}
