// Imports a slice of a list while the stream goes on: one pass (follow-pass.ts) in its transaction. In
// addition, the pass's new pairs are added to the graph in memory and its journal.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { FollowLine } from '../../../data/store/records/follows.ts'
import { insertGraphChange, insertGraphJoins } from '../../../data/store/records/graph-changes.ts'
import { type IndexContext, internActor } from '../index-context.ts'
import { createFollowPass, storeFollowPass } from './follow-pass.ts'
import { leftOut } from './import-follows.ts'
import { emptyTally, type ImportTally } from './import-tally.ts'

/** Longest time from one slice of an import to the next. */
const IMPORT_LASTS_MS = 5 * MINUTE_MS
/** From this many on, one statement for all of them is faster. */
const JOINS_AT_ONCE = 4

/** @param isInScopeOnly - leave out lines that would not be kept from the stream */
export function importLiveFollows(
  ctx: IndexContext,
  lines: readonly FollowLine[],
  options: { isInScopeOnly?: boolean } = {},
): ImportTally {
  ctx.importingUntil = ctx.now + IMPORT_LASTS_MS
  ctx.happenedAt = 0 // the time is unknown, but in the past
  const tally = emptyTally()
  const pass = createFollowPass(lines.length)
  // An account's verdict does not change as its follows are imported.
  const open = new Set<string>()
  for (const line of lines) {
    const isOpen = !options.isInScopeOnly && open.has(line.did)
    const reason = isOpen ? undefined : leftOut(ctx, line, options)
    if (!reason) open.add(line.did)
    if (reason) tally[reason]++
    else pass.add(internActor(ctx, line.did), internActor(ctx, line.subject), line.rkey)
  }
  storeFollowPass(ctx, { pass, tally, onJoined: tellGraph })
  return tally
}

function tellGraph(ctx: IndexContext, creator: number, subjects: readonly number[]): void {
  if (subjects.length >= JOINS_AT_ONCE) insertGraphJoins(ctx.db, creator, subjects)
  else for (const subject of subjects) insertGraphChange(ctx.db, { creator, subject, added: true })
  for (const subject of subjects) ctx.changes.push({ kind: 'follow', creator, subject })
}
