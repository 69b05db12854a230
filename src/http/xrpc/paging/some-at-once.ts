// Pages of large items: they are read and presented some at a time, since a page ends early once its time is up,
// but only between two reads.

import type { PageRange } from '../../../answers/skeleton/skeleton-page.ts'

/** Each with up to 50 members to choose from, and their blocks. */
export const PACKS_AT_ONCE = 10
/** Of accounts that may block by thousands of lists which the viewer is on. */
export const MEMBERS_AT_ONCE = 50

/** @returns the same skeleton, which reads at most that many items. */
export function someAtOnce<App, Part extends { range: PageRange }, Read>(
  most: number,
  skeleton: (app: App, part: Part) => Read,
): (app: App, part: Part) => Read {
  return (app, part) => {
    const { limit } = part.range
    return skeleton(app, { ...part, range: { ...part.range, limit: Math.min(limit, most) } })
  }
}
