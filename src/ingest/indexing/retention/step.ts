// How a candidate is swept: by steps, each of which goes through rows of one kind, a page at a time, and
// says where it goes on.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Reached } from '../../../data/store/gc-candidates.ts'
import type { IndexContext } from '../index-context.ts'

/** Rows that a page has at most. */
export const PAGE = 10

/** @returns where it goes on; undefined: the step is over. */
export type Step = (ctx: IndexContext, id: number, reached: Reached | null) => Reached | undefined

/** A step that is done at once. */
export function once(work: (ctx: IndexContext, id: number) => void): Step {
  return (ctx, id) => {
    work(ctx, id)
    return undefined
  }
}

/** Of a page's last row, where there may be more. */
export function goesOnAfter<T>(
  page: readonly T[],
  place: (last: T) => Reached,
  size: number = PAGE,
): Reached | undefined {
  return page.length < size ? undefined : place(page.at(-1)!)
}

/** A page of record keys begins above this one. */
export function keyAfter(reached: Reached | null): PackedRkey {
  return typeof reached === 'number' || reached === null ? '' : reached
}
