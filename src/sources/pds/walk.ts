// What the walks of a collection take and report: by its listing (listing.ts), by its newest (newest.ts) or as a
// whole (whole.ts).

import type { Collection } from '../../base/atproto/collections.ts'
import type { PdsClient, RecordPage } from './pds-client.ts'

/** Services that the caller provides. */
export type ListingServices = {
  pds: Pick<PdsClient, 'listRecords' | 'withRepo'>
  now: () => number
  signal: AbortSignal
}

export type ListedPage = RecordPage & {
  /** When the request began, by our clock. */
  fetchedAt: number
}

/** Where older records are: a cursor of the server's listing, of its reversed one, page by page, or below a key. */
export type Position =
  | { cursor: string }
  | { reversed: string }
  /** Cursors of the pages before, oldest first; '' is the first page. */
  | { pages: string[] }
  /** No cursor leads there: all is read again, and what has lower keys than this one taken. */
  | { below: string }

export type ListingEnd = {
  /** All keys were seen, provably. */
  complete: boolean
  /** All keys at or above this one were seen; undefined if that can't be claimed. */
  floor: string | undefined
  /** Where older records are; undefined if there are none, or none that can be reached. */
  next: Position | undefined
  listed: number
}

export type ListingBounds = {
  maxRecords: number
  /** Called after each page of a listing that falls; returns true to stop the walk. */
  isEnough?: (page: ListedPage) => boolean
  /** Selects the records of a page to take (within-budget.ts); the others count as broken. */
  take?: Take
}

export type Walk = ListingBounds & {
  collection: Collection
  onPage: (page: ListedPage) => Promise<void>
}

/**
 * Selects the records of a page to take, and says whether no more may be taken; `isHeld` tells for
 * a key whether its record is here already.
 */
export type Take = (
  page: RecordPage,
  isHeld?: (rkey: string) => boolean,
) => { page: RecordPage; isSpent: boolean }
