// Blocks and mutes remove items from a page after it was read. So that a page is not short or even empty
// while there is more below, the next pages are read until it is full, or until the call's time is up: then it
// ends early, with a cursor.

import { isTimeUp } from '../../../base/util/turn.ts'

/** `isCut`: see `SkeletonPage`. */
export type FilledPage<T> = {
  items: T[]
  cursor: string | undefined
  isCut?: boolean
}

export const MAX_READS = 10

type Options = {
  limit: number
  cursor: string | undefined
  /** A cursor that means the end (`since` of a bounded read). */
  end?: string
  /** Number of items that suffice; `limit` by default. */
  enough?: number
}

/**
 * @param read - reads one filtered page; its cursor follows the items read, not those that are left
 */
export function fillPage<T>(
  { limit, cursor, end, enough = limit }: Options,
  read: (cursor: string | undefined, limit: number) => FilledPage<T>,
): FilledPage<T> {
  const { isCut, ...page } = read(cursor, limit)
  if (isCut) return page
  for (let reads = 1; reads < MAX_READS && page.items.length < enough; reads++) {
    if (page.cursor === undefined || page.cursor === end || isTimeUp()) break
    const next = read(page.cursor, limit - page.items.length)
    page.items.push(...next.items)
    if (next.cursor === page.cursor) return { ...page, cursor: undefined }
    page.cursor = next.cursor
    if (next.isCut) break
  }
  return page
}
