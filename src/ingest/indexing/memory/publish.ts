// Applies a committed batch's memory changes to the graph, the account bits and the timelines, in the order
// of the row changes; only for the writer (writer.ts). All changes are idempotent against rows: one published
// after later rows were committed finds them and does no harm. Authors with many member followers
// ("celebrities") are not fanned out. Becoming one removes their items from the rings, ceasing to be one puts
// them back; the two thresholds differ, so that authors do not flap.

import { EdgeRuns, forEachOpenFollower, type TimelineEntry } from '@slipstream/follow-graph'
import { CELEBRITY, HIDDEN, MEMBER } from '../../../data/graph/types.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import { hashOfItem, newestItems } from '../../../data/store/timelines/feed-items.ts'
import { invalidationsOf } from '../../../data/store/transact.ts'
import { clearFlag, followsOf, type Memory, setFlag } from './memory.ts'
import type { MemoryChange } from './memory-changes.ts'

const DEMOTION_SHARE = 0.8

/** @returns the number of timeline entries written */
export function publish(db: WriteDb, memory: Memory, changes: MemoryChange[]): number {
  const runs = new EdgeRuns(memory.graph)
  let written = 0
  for (const change of changes) {
    if (isOfStranger(memory, change)) {
      runs.push(change.creator, change.subject, change.kind === 'follow')
      continue
    }
    runs.flush()
    written += publishOne(db, memory, change)
  }
  runs.flush()
  invalidationsOf(db).endPublishing()
  return written
}

type FollowChange = Extract<MemoryChange, { creator: number }>

/** Follows of strangers change only the graph. */
function isOfStranger(memory: Memory, change: MemoryChange): change is FollowChange {
  return 'creator' in change && !isMember(memory, change.creator)
}

function publishOne(db: Db, memory: Memory, change: MemoryChange): number {
  switch (change.kind) {
    case 'follow':
      return follow(db, memory, change.creator, change.subject)
    case 'unfollow':
      return unfollow(db, memory, change.creator, change.subject)
    case 'item-added':
      return addItem(memory, change.entry, change.hash)
    case 'item-removed':
      return removeItem(memory, change.entry)
    case 'actor-removed':
      return removeActor(memory, change.uid)
    case 'hidden':
      setFlag(memory, change.uid, HIDDEN)
      return 0
    case 'shown':
      clearFlag(memory, change.uid, HIDDEN)
      return 0
    case 'member-added':
      return addMember(memory, change.uid)
    case 'member-removed':
      return removeMember(db, memory, change.uid)
  }
}

/** Of a member, as in `unfollow`. */
function follow(db: Db, memory: Memory, creator: number, subject: number): number {
  if (!memory.graph.add(creator, subject)) return 0
  addMemberFollower(memory, subject)
  if (isCelebrity(memory, subject)) return 0
  return fillFrom(db, memory, creator, subject)
}

function unfollow(db: Db, memory: Memory, creator: number, subject: number): number {
  if (!memory.graph.remove(creator, subject)) return 0
  const written = dropMemberFollower(db, memory, subject)
  if (creator !== subject) memory.timelines.removeOriginator(creator, subject)
  return written
}

function addItem(memory: Memory, entry: TimelineEntry, hash: number): number {
  const { originator } = entry
  memory.timelines.insert(originator, entry)
  return isCelebrity(memory, originator) ? 0 : memory.fanOut(entry, hash)
}

function removeItem(memory: Memory, entry: TimelineEntry): number {
  memory.timelines.remove(entry.originator, entry)
  if (memory.actors.memberFollowersOf(entry.originator) === 0) return 0
  forEachOpenFollower(memory, entry.originator, (owner) => memory.timelines.remove(owner, entry))
  return 0
}

function removeActor(memory: Memory, uid: number): number {
  memory.timelines.removeOriginator(uid, uid)
  forEachOpenFollower(memory, uid, (owner) => memory.timelines.removeOriginator(owner, uid))
  return 0
}

function addMember(memory: Memory, uid: number): number {
  if (isMember(memory, uid)) return 0
  setFlag(memory, uid, MEMBER)
  for (const subject of followsOf(memory, uid)) addMemberFollower(memory, subject)
  return 0
}

function removeMember(db: Db, memory: Memory, uid: number): number {
  if (!isMember(memory, uid)) return 0
  clearFlag(memory, uid, MEMBER)
  memory.timelines.close(uid)
  let written = 0
  for (const subject of followsOf(memory, uid)) written += dropMemberFollower(db, memory, subject)
  return written
}

function addMemberFollower(memory: Memory, subject: number): void {
  memory.actors.addMemberFollowers(subject, 1)
  if (isCelebrity(memory, subject)) return
  if (memory.actors.memberFollowersOf(subject) < memory.celebrityThreshold) return
  // The bit is set first: readers merge the author in before the rings lose the items.
  setFlag(memory, subject, CELEBRITY)
  forEachOpenFollower(memory, subject, (owner) => {
    memory.timelines.removeOriginator(owner, subject)
  })
}

function dropMemberFollower(db: Db, memory: Memory, subject: number): number {
  memory.actors.addMemberFollowers(subject, -1)
  if (!isCelebrity(memory, subject)) return 0
  const floor = memory.celebrityThreshold * DEMOTION_SHARE
  if (memory.actors.memberFollowersOf(subject) >= floor) return 0
  const owners: number[] = []
  forEachOpenFollower(memory, subject, (owner) => owners.push(owner))
  let written = 0
  for (const owner of owners) written += fillFrom(db, memory, owner, subject)
  clearFlag(memory, subject, CELEBRITY)
  return written
}

/**
 * Adds an originator's newest items to a timeline that has not taken them until now. The ring
 * itself leaves out items older than its trimmed ones. Reads one item more than fit, so that the
 * ring notices.
 */
function fillFrom(db: Db, memory: Memory, owner: number, originator: number): number {
  if (!memory.timelines.isOpen(owner)) return 0
  let written = 0
  for (const entry of newestItems(db, originator, memory.timelineLength + 1)) {
    if (!memory.isHashDrawn(owner, hashOfItem(memory.actors, entry))) continue
    memory.timelines.insert(owner, entry)
    written++
  }
  return written
}

function isMember(memory: Memory, uid: number): boolean {
  return (memory.actors.flagsOf(uid) & MEMBER) !== 0
}

function isCelebrity(memory: Memory, uid: number): boolean {
  return (memory.actors.flagsOf(uid) & CELEBRITY) !== 0
}
