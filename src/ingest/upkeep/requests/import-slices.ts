// Imports parts of lists in the order of arrival, each in slices of some milliseconds of the writer's time:
// between slices the stream's batches and other writes get their turn, and the database's log is tended. A part
// is imported account by account, since a slice reads and writes each list that it adds to once.

import { setImmediate } from 'node:timers/promises'
import type { FollowLine } from '../../../data/store/records/follows.ts'
import { addTo, emptyTally, type ImportTally } from '../../indexing/imports/import-tally.ts'

/** One transaction: short enough for a waiting batch, long enough to write many lines at once. */
const SLICE_MS = 20
const FIRST_LINES = 250
const MIN_LINES = 250
/**
 * Readers are told of a slice's changes one by one up to a limit
 * (data/shared-memory/invalidation-ring.ts).
 */
const MAX_LINES = 4_096
const MAX_GROWTH = 2

/** @param apply - commits a slice and publishes it. */
export function createImportSlices(options: {
  apply: (lines: readonly FollowLine[], isInScopeOnly: boolean) => ImportTally
  tendLog: () => Promise<void> | undefined
}): (lines: readonly FollowLine[], isInScopeOnly: boolean) => Promise<ImportTally> {
  let size = FIRST_LINES
  let last: Promise<unknown> = Promise.resolve()

  async function importAll(
    lines: readonly FollowLine[],
    isInScopeOnly: boolean,
  ): Promise<ImportTally> {
    const tally = emptyTally()
    const sorted = byAccount(lines)
    for (let start = 0; start < sorted.length; ) {
      const slice = sorted.slice(start, start + size)
      const began = performance.now()
      addTo(tally, options.apply(slice, isInScopeOnly))
      size = nextSize(slice.length, performance.now() - began)
      start += slice.length
      await options.tendLog()
      await setImmediate()
    }
    return tally
  }

  return (lines, isInScopeOnly) => {
    const done = last.then(() => importAll(lines, isInScopeOnly))
    last = done.catch(() => undefined)
    return done
  }
}

/** An account's lines stay in their order. */
function byAccount(lines: readonly FollowLine[]): FollowLine[] {
  return [...Map.groupBy(lines, ({ did }) => did).values()].flat()
}

/** As many lines as would have taken the time of a full slice. */
function nextSize(lines: number, tookMs: number): number {
  const fitting = Math.min((lines * SLICE_MS) / Math.max(tookMs, 0.1), lines * MAX_GROWTH)
  return Math.round(Math.min(Math.max(fitting, MIN_LINES), MAX_LINES))
}
