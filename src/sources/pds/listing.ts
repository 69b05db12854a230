// Walks a collection of somebody's repository, newest first, page by page, within bounds. A page with records that do
// not hash to their CIDs is taken as far as it is right, and the walk goes on to its end; then the job fails with
// `mismatched` and is tried again, until it was tried often enough. Keys come in descending order from every PDS that
// follows the lexicon. Where they don't, the walk goes on, but says so: an incomplete walk then proves nothing about
// the keys it did not show.

import type { Collection } from '../../base/atproto/collections.ts'
import { MAX_PAGE, type PdsClient, type RecordPage, type RepoTarget } from './pds-client.ts'
import { PdsError } from './pds-error.ts'

/** What a walk needs of its caller. */
type ListingServices = { pds: PdsClient; now: () => number; signal: AbortSignal }

/** What of a page is taken, and whether no more may be; `isHeld` says of a key whether its record is here already. */
export type Take = (
  page: RecordPage,
  isHeld?: (rkey: string) => boolean,
) => { page: RecordPage; isSpent: boolean }

export type ListedPage = RecordPage & {
  /** When the request began, by our clock. */
  fetchedAt: number
}

export type ListingEnd = {
  /** Everything was seen. */
  complete: boolean
  /** Every key at or above this one was seen; undefined where no such claim can be made. */
  floor: string | undefined
  /** Where the server's listing goes on. */
  cursor: string | undefined
  listed: number
}

export type ListingBounds = {
  maxRecords: number
  /** An earlier listing's cursor: begins where that ended. */
  from?: string | undefined
  /** Says after each page whether to go on. */
  isEnough?: (page: ListedPage) => boolean
  /** What of a page is taken (within-budget.ts); the rest counts as broken. */
  take?: Take
}

/** A page may be empty, or show nothing further down, and have a cursor; but not for ever. */
const MAX_IDLE_PAGES = 10

/** @throws PdsError */
export async function walkCollection(
  services: ListingServices,
  repo: RepoTarget,
  walk: ListingBounds & {
    collection: Collection
    onPage: (page: ListedPage) => Promise<void>
  },
): Promise<ListingEnd> {
  let cursor = walk.from
  let floor: string | undefined
  let isOrdered = true
  let listed = 0
  let idlePages = 0
  let mismatched = 0
  const endAs = (end: ListingEnd) => {
    if (mismatched === 0 || repo.leavesOutMismatched) return end
    const what = `${mismatched} records of ${walk.collection}`
    throw new PdsError('mismatched', `${repo.pds} sent ${what} that do not hash to their CIDs`)
  }
  for (;;) {
    if (services.signal.aborted) throw new PdsError('stopped', 'stopped while listing')
    const fetchedAt = services.now()
    const limit = Math.min(MAX_PAGE, walk.maxRecords - listed)
    const fetched = await services.pds.listRecords(repo, {
      collection: walk.collection,
      limit,
      cursor,
    })
    const taken = walk.take?.(fetched) ?? { page: fetched, isSpent: false }
    const page = { ...taken.page, fetchedAt }
    await walk.onPage(page)
    const keys = keysOf(page)
    isOrdered &&= isDescending(keys, floor)
    if (!leadsFurther(keys, floor)) idlePages++
    floor = keys.at(-1) ?? floor
    listed += keys.length
    mismatched += page.mismatched
    const { cursor: next } = page
    if (next === undefined) return endAs({ complete: true, floor, cursor: undefined, listed })
    const isEnough = taken.isSpent || (walk.isEnough?.(page) ?? false)
    if (isEnough || listed >= walk.maxRecords || idlePages >= MAX_IDLE_PAGES) {
      const proven = isOrdered ? floor : undefined
      return endAs({ complete: false, floor: proven, cursor: next, listed })
    }
    cursor = next
  }
}

/** All keys of the page, in order where the broken ones allow it. */
function keysOf(page: RecordPage): string[] {
  const keys = page.records.map(({ rkey }) => rkey)
  if (page.broken.length === 0) return keys
  return [...keys, ...page.broken].sort().reverse()
}

function leadsFurther(keys: string[], floor: string | undefined): boolean {
  return keys.some((key) => floor === undefined || key < floor)
}

function isDescending(keys: string[], above: string | undefined): boolean {
  return keys.every((key, i) => {
    const previous = i === 0 ? above : keys[i - 1]
    return previous === undefined || key < previous
  })
}
