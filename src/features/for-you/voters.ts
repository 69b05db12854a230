// Whose likes make a page for a reader who has none: the accounts that they follow, and the members.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { allMembers } from '../../data/store/members/members.ts'
import type { State } from './engine/layout.ts'
import { findUser, fingerprintOf } from './engine/users.ts'
import { didWords } from './post-keys.ts'

type Dependencies = { db: Db; actors: Pick<ActorReader, 'didOf'>; graph: FollowGraphReader }

const MAX_VOTERS = 1000

/** Slots of the accounts that the engine knows among those that the reader follows. */
export function followedVoters(
  { actors, graph }: Dependencies,
  state: State,
  uid: number,
): number[] {
  const follows = new Uint32Array(MAX_VOTERS)
  const count = graph.follows(uid, 0, follows)
  return slotsOf(actors, state, follows.subarray(0, count))
}

export function memberVoters({ db, actors }: Dependencies, state: State, except: number): number[] {
  const members = allMembers(db).flatMap(({ uid }) => (uid === except ? [] : [uid]))
  return slotsOf(actors, state, members.slice(0, MAX_VOTERS))
}

/** The slot of one account; -1: unknown to the engine. */
export function slotOf(state: State, did: string): number {
  const words = didWords(did)
  return words ? findUser(state, fingerprintOf(state, words)) : -1
}

function slotsOf(actors: Dependencies['actors'], state: State, uids: Iterable<number>): number[] {
  return [...uids].map((uid) => slotOf(state, actors.didOf(uid))).filter((slot) => slot >= 0)
}
