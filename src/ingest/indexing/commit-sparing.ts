// Commits many items sent by strangers. If applying an item fails unexpectedly, it is found by halving, left
// out and reported; the others are applied. Otherwise it would end the process, and return with the same
// cursor after each restart.

import { mayBeTheirs } from '../../base/util/assert.ts'
import type { IndexContext, Outcome } from './index-context.ts'
import type { Writer } from './writer.ts'

export type BatchOutcome = {
  applied: number
  /** Number of items left out, by reason. */
  skipped: Partial<Record<Outcome, number>>
}

/**
 * `ctx` belongs to a commit of just these items; `isComplete` if data that belongs to all of them (a
 * cursor) must be written with them.
 */
type Work<Item> = (ctx: IndexContext, items: Item[], isComplete: boolean) => BatchOutcome

/**
 * @throws if no item is to blame; then none of the items or a first part of them is applied, and
 * may be sent again
 */
export function commitSparing<Item>(
  writer: Pick<Writer, 'commit' | 'onLeftOut'>,
  items: Item[],
  work: Work<Item>,
): BatchOutcome {
  const complete = attempt(writer, items, (ctx) => work(ctx, items, true))
  if ('outcome' in complete) return complete.outcome
  const outcomes = halves(items).map((some) => commitSome(writer, some, work))
  return sum([...outcomes, writer.commit((ctx) => work(ctx, [], true))])
}

function commitSome<Item>(
  writer: Pick<Writer, 'commit' | 'onLeftOut'>,
  items: Item[],
  work: Work<Item>,
): BatchOutcome {
  const attempted = attempt(writer, items, (ctx) => work(ctx, items, false))
  if ('outcome' in attempted) return attempted.outcome
  if (items.length === 1) {
    writer.onLeftOut?.(attempted.error)
    return { applied: 0, skipped: { unforeseen: 1 } }
  }
  return sum(halves(items).map((some) => commitSome(writer, some, work)))
}

/** @returns the error if one of the items may be to blame */
function attempt(
  writer: Pick<Writer, 'commit'>,
  items: readonly unknown[],
  work: (ctx: IndexContext) => BatchOutcome,
): { outcome: BatchOutcome } | { error: unknown } {
  try {
    return { outcome: writer.commit(work) }
  } catch (error) {
    if (items.length === 0 || !mayBeTheirs(error)) throw error
    return { error }
  }
}

/** A single item is tried once more, without the data that belongs to the whole. */
function halves<Item>(items: Item[]): Item[][] {
  if (items.length === 1) return [items]
  const middle = Math.ceil(items.length / 2)
  return [items.slice(0, middle), items.slice(middle)]
}

function sum(outcomes: readonly BatchOutcome[]): BatchOutcome {
  const total: BatchOutcome = { applied: 0, skipped: {} }
  for (const { applied, skipped } of outcomes) {
    total.applied += applied
    for (const [reason, count] of Object.entries(skipped) as [keyof typeof skipped, number][]) {
      total.skipped[reason] = (total.skipped[reason] ?? 0) + count
    }
  }
  return total
}
