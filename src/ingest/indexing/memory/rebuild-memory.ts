// Memory is a function of rows (invariant 3): at startup, accounts, graph and account bits are built from
// rows, either entirely or on top of a snapshot that the journal of follow changes brings up to date.

import type { NewFollowGraph } from '@slipstream/follow-graph'
import { assert } from '../../../base/util/assert.ts'
import { type ActorWriter, CELEBRITY, HIDDEN, MEMBER } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { followEdges } from '../../../data/store/edges/all-edges.ts'
import { allMembers } from '../../../data/store/members/members.ts'
import { actorsNotActive, iterateActors } from '../../../data/store/records/actors.ts'
import { followedBy } from '../../../data/store/records/follows.ts'
import { isHiddenStatus } from '../../../data/store/records/status.ts'
import { followsOf, type Memory, setFlag } from './memory.ts'
import { replayGraphChanges } from './replay-graph.ts'

type Rebuilt = Pick<Memory, 'actors' | 'graph' | 'celebrityThreshold'>

/** Fills empty memory from rows. */
export function rebuildMemory(db: Db, memory: Rebuilt & { graph: NewFollowGraph }): void {
  loadActors(db, memory)
  memory.graph.build(followEdges.lists(db), memory.actors.count)
  setActorBits(db, memory)
}

/** Restores accounts, members and members' follows: for a writer that runs while no server does. */
export function rebuildActors(db: Db, actors: ActorWriter): void {
  loadActors(db, { actors })
  for (const { uid } of allMembers(db)) {
    setFlag({ actors }, uid, MEMBER)
    for (const subject of followedBy(db, uid)) actors.addMemberFollowers(subject, 1)
  }
}

/**
 * Brings memory loaded from a snapshot up to date with the rows. `covered` is the last journal
 * entry in the snapshot; the snapshot's accounts are a prefix of those in rows.
 */
export function catchUpMemory(db: Db, memory: Rebuilt, covered: number): void {
  loadActors(db, memory)
  replayGraphChanges(db, memory.graph, covered)
  setActorBits(db, memory)
}

function loadActors(db: Db, { actors }: Pick<Rebuilt, 'actors'>): void {
  for (const [uid, did] of iterateActors(db, actors.count)) {
    assert(actors.intern(did) === uid, `uid ${uid} of ${did} does not fit the accounts in memory`)
  }
}

/**
 * Sets the bits and member followers of accounts that have none yet. They are few and quickly read
 * from rows, so snapshots are not trusted for them.
 */
function setActorBits(db: Db, memory: Rebuilt): void {
  const { actors } = memory
  for (const [uid, status] of actorsNotActive(db)) {
    if (isHiddenStatus(status)) setFlag(memory, uid, HIDDEN)
  }
  const members = allMembers(db)
  for (const { uid } of members) setFlag(memory, uid, MEMBER)
  for (const { uid } of members) {
    for (const subject of followsOf(memory, uid)) {
      actors.addMemberFollowers(subject, 1)
      const followers = actors.memberFollowersOf(subject)
      if (followers === memory.celebrityThreshold) setFlag(memory, subject, CELEBRITY)
    }
  }
}
