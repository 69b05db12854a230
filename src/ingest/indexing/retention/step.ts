// A candidate is swept in steps, each of which processes rows of one kind, a page at a time, and returns
// where it continues.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Reached } from '../../../data/store/removal/gc-candidates.ts'
import type { IndexContext } from '../index-context.ts'

/** Most rows of a page. */
export const PAGE = 10

/** @returns where the step continues; undefined once it is done */
export type Step = (ctx: IndexContext, id: number, reached: Reached | null) => Reached | undefined

/** A step that is done at once. */
export function once(work: (ctx: IndexContext, id: number) => void): Step {
  return (ctx, id) => {
    work(ctx, id)
    return undefined
  }
}

/** Place of a page's last row, if there may be more. */
export function goesOnAfter<T>(
  page: readonly T[],
  reachedOf: (last: T) => Reached,
  size: number = PAGE,
): Reached | undefined {
  return page.length < size ? undefined : reachedOf(page.at(-1)!)
}

/** Record key after which the next page begins. */
export function keyAfter(reached: Reached | null): PackedRkey {
  return typeof reached === 'number' || reached === null ? '' : reached
}
