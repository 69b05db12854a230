// Walks a repository's collection, newest first, page by page, within bounds. Of a page with records that do
// not hash to their CIDs the valid ones are taken, and the walk continues to its end; then the job fails with
// `mismatched` and is retried, up to a limit. Every PDS that follows the lexicon sends keys in descending
// order. Otherwise the walk continues, but reports it: an incomplete walk then proves nothing about the keys
// it did not show.

import type { Collection } from '../../base/atproto/collections.ts'
import { MAX_PAGE, type PdsClient, type RecordPage, type RepoTarget } from './pds-client.ts'
import { PdsError } from './pds-error.ts'

/** Services that the caller provides. */
type ListingServices = { pds: PdsClient; now: () => number; signal: AbortSignal }

/**
 * Selects the records of a page to take, and says whether no more may be taken; `isHeld` tells for
 * a key whether its record is here already.
 */
export type Take = (
  page: RecordPage,
  isHeld?: (rkey: string) => boolean,
) => { page: RecordPage; isSpent: boolean }

export type ListedPage = RecordPage & {
  /** When the request began, by our clock. */
  fetchedAt: number
}

export type ListingEnd = {
  /** All keys were seen. */
  complete: boolean
  /** All keys at or above this one were seen; undefined if that can't be claimed. */
  floor: string | undefined
  /** Where the server's listing continues. */
  cursor: string | undefined
  listed: number
}

export type ListingBounds = {
  maxRecords: number
  /** An earlier listing's cursor: begins where that one ended. */
  from?: string | undefined
  /** Called after each page; returns true to stop the walk. */
  isEnough?: (page: ListedPage) => boolean
  /** Selects the records of a page to take (within-budget.ts); the others count as broken. */
  take?: Take
}

/** A page may be empty, or make no progress, and still have a cursor; but not for ever. */
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

/** All keys of the page, in order as far as the broken ones allow it. */
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
