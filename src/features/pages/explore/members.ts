// Members by name, and newcomers with the progress of their cold starts; for the operator only.

import { createReader } from '../../../answers/hydrate/reader.ts'
import { inParts } from '../../../base/util/turn.ts'
import type { ColdStartProgress } from '../../../bridge/messages.ts'
import { lastSeenMembers } from '../../../data/store/members/members.ts'
import { type ExploreContext, type Person, personOf } from './context.ts'

type NewcomerView = Person & {
  stage: ColdStartProgress['stage']
  /** Milliseconds since 1970. */
  startedAt: number
  finishedAt: number | undefined
  /** Origin of the mirror that is read because the member's PDS is away. */
  mirror: string | undefined
  /** Of all followed accounts, those with nothing left to fetch. */
  complete: ColdStartProgress['complete']
  items: number
  itemsWanted: number
}

export function* newcomersView(
  context: ExploreContext,
  coldStarts: readonly ColdStartProgress[],
): Generator<void, NewcomerView[]> {
  const people = yield* peopleOf(
    context,
    coldStarts.map(({ did }) => did),
  )
  return coldStarts.map((start, i) => ({
    ...people[i]!,
    stage: start.stage,
    startedAt: start.startedAt,
    finishedAt: start.finishedAt,
    mirror: start.mirror,
    complete: start.complete,
    items: start.timelineItems,
    itemsWanted: start.timelineTarget,
  }))
}

/** As many as a field suggests. */
const MAX_SUGGESTED = 200

/** Those who read last come first. */
export function membersView(context: ExploreContext): Generator<void, readonly Person[]> {
  return peopleOf(context, lastSeenMembers(context.db, MAX_SUGGESTED))
}

/** In the order of `dids`, some in a turn. */
function peopleOf(
  context: ExploreContext,
  dids: readonly string[],
): Generator<void, readonly Person[]> {
  const uids = dids.map((did) => context.actors.uidOf(did))
  return inParts(uids, (some) => {
    const state = context.hydrator.profiles(some, createReader(undefined))
    return some.map((uid) => personOf(context, state, uid))
  })
}
