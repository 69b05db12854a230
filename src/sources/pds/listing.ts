// Walks a repository's collection page by page, within bounds, in whatever order its server lists it. The walk
// reports what it proves: all keys were seen only if there was one page, or if the keys rose or fell from
// first to last and each cursor named the last key of its page. Otherwise records may have moved, or fallen
// between two pages, and a key that was not listed may still be there.

import type { Collection } from '../../base/atproto/collections.ts'
import { createIntake, onlyNew } from './intake.ts'
import { namesKey, watchOrder } from './page-order.ts'
import { MAX_PAGE, type RepoTarget } from './pds-client.ts'
import { PdsError } from './pds-error.ts'
import type { ListedPage, ListingEnd, ListingServices, Walk } from './walk.ts'

type WalkFrom = {
  cursor?: string | undefined
  reverse?: boolean
  /** The first page, if it is here already. */
  first?: ListedPage
  /** Stops at the first page that does not fall: the caller needs nothing of another order. */
  isOnlyFalling?: boolean
}

/** A page may be empty, or make no progress, and still have a cursor; but not for ever. */
const MAX_IDLE_PAGES = 10
/** With an inclusive cursor, a page of one record would never lead further. */
const MIN_PAGE = 2

/** @throws PdsError */
export async function walkCollection(
  services: ListingServices,
  repo: RepoTarget,
  walk: Walk & WalkFrom,
): Promise<ListingEnd> {
  const order = watchOrder()
  const intake = createIntake(repo, walk)
  const { reverse } = walk
  let { cursor } = walk
  let isNamed = true
  let idlePages = 0
  for (let pages = 1; ; pages++) {
    const limit = Math.max(MIN_PAGE, walk.maxRecords - intake.listed)
    const page =
      (pages === 1 && walk.first) ||
      (await fetchPage(services, repo, { ...walk, limit, cursor, reverse }))
    const fresh = onlyNew(page, order.add(page.keys))
    const isFalling = order.order === 'falling'
    if (walk.isOnlyFalling && !isFalling) {
      return intake.end({ complete: false, floor: undefined, next: undefined })
    }
    if (fresh.keys.length === 0) idlePages++
    const isEnough = await intake.add(fresh)
    cursor = page.cursor
    const isByKey = isNamed && order.order !== 'mixed'
    if (cursor === undefined) {
      const complete = isByKey || (pages === 1 && walk.cursor === undefined)
      return intake.end({
        complete,
        floor: isFalling && complete ? order.last : undefined,
        next: undefined,
      })
    }
    isNamed &&= page.keys.length === 0 || namesKey(cursor, page.keys.at(-1))
    const isOver = intake.isSpent || order.isFull || idlePages >= MAX_IDLE_PAGES
    if (isOver || (isFalling && isEnough) || intake.listed >= walk.maxRecords) {
      const floor = isFalling && isNamed ? order.last : undefined
      const next = reverse ? { reversed: cursor } : { cursor }
      return intake.end({ complete: false, floor, next })
    }
  }
}

/** @throws PdsError */
export async function fetchPage(
  { pds, now, signal }: ListingServices,
  repo: RepoTarget,
  of: {
    collection: Collection
    limit: number
    cursor?: string | undefined
    reverse?: boolean | undefined
  },
): Promise<ListedPage> {
  if (signal.aborted) throw new PdsError('stopped', 'stopped while listing')
  const { collection, cursor, reverse } = of
  const fetchedAt = now()
  const limit = Math.min(MAX_PAGE, of.limit)
  const page = await pds.listRecords(repo, {
    collection,
    limit,
    ...(cursor !== undefined && { cursor }),
    ...(reverse && { reverse }),
  })
  return { ...page, fetchedAt }
}
