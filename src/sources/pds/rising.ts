// Takes the newest records of a listing whose newest come last: reads forward to its end, remembering where each
// page begins, and then takes page by page from the end. Of a listing without an order, the newest records that
// were seen are taken, and a later reading takes what is older than those.

import { createIntake, newestFirst, onlyNew } from './intake.ts'
import { fetchPage, walkCollection } from './listing.ts'
import { namesKey, type OrderWatch, watchOrder } from './page-order.ts'
import { MAX_PAGE, type PdsRecord, type RepoTarget } from './pds-client.ts'
import type { ListedPage, ListingEnd, ListingServices, Walk } from './walk.ts'

/** A listing that was read forward. */
type ReadForward = {
  /** Cursors with which the pages begin, '' for the first; none if the listing has no order. */
  starts: string[]
  /** The last two pages, or if there is no order, the newest records as one page. */
  held: ListedPage[]
  /** Only lower keys count, and no order is looked for. */
  below: string | undefined
  /** Records were seen that are not held. */
  isCut: boolean
  watch: OrderWatch
  /** Each cursor named the last key of its page. */
  isNamed: boolean
  /** Where reading goes on; undefined at the end. */
  next: string | undefined
}

/** Records read forward before the repository's file is tried, and if there is none. */
const FORWARD = 10_000
const FAR_FORWARD = 50_000
const PAGES_HELD = 2
/** Most records that are held of a listing without an order, or taken when one is read again. */
export const MOST_AT_ONCE = 500
/** Of the places remembered for older pages. */
const MAX_POSITIONS = 20
const MAX_POSITION_CHARACTERS = 4_096

/** Reads forward from the first page, or further than before. @throws PdsError */
export async function readForward(
  services: ListingServices,
  repo: RepoTarget,
  { collection, below }: Pick<Walk, 'collection'> & { below?: string },
  from: { first: ListedPage } | ReadForward,
): Promise<ReadForward> {
  const isAgain = 'next' in from
  if (isAgain && from.next === undefined) return from
  const read: ReadForward = isAgain ? { ...from, starts: [...from.starts] } : newReading(below)
  await walkCollection(
    services,
    { ...repo, leavesOutMismatched: true },
    {
      collection,
      maxRecords: isAgain ? FAR_FORWARD : FORWARD,
      ...(isAgain ? { cursor: from.next } : { first: from.first }),
      onPage: async (page) => noteRead(read, page),
    },
  )
  return read
}

function newReading(below: string | undefined): ReadForward {
  const watch = watchOrder()
  return { starts: [], held: [], below, isCut: false, watch, isNamed: true, next: undefined }
}

function noteRead(read: ReadForward, page: ListedPage): void {
  read.watch.add(page.keys)
  read.starts.push(read.next ?? '')
  read.next = page.cursor
  if (page.cursor !== undefined) read.isNamed &&= namesKey(page.cursor, page.keys.at(-1))
  const held = [...read.held, page]
  if (isInOrder(read)) {
    read.held = held.slice(-PAGES_HELD)
    read.isCut ||= held.length > PAGES_HELD
    return
  }
  const seen = below(newestFirst(merged(held)), read.below)
  const newest = onlyNew(seen, seen.keys.slice(0, MOST_AT_ONCE))
  read.held = [newest]
  read.isCut ||= newest.keys.length < seen.keys.length
  read.starts = []
}

function isInOrder({ watch, below }: ReadForward): boolean {
  return watch.order !== 'mixed' && below === undefined
}

/**
 * Takes pages from the last one, newest first; those that are not held are fetched again.
 * @throws PdsError
 */
export async function walkBack(
  services: ListingServices,
  repo: RepoTarget,
  walk: Walk,
  from: { starts: string[] } | ReadForward,
): Promise<ListingEnd> {
  const { collection } = walk
  const intake = createIntake(repo, walk)
  const held = 'held' in from ? from.held : []
  const starts = from.starts.slice(0, Math.max(0, from.starts.length - held.length))
  const isComplete = 'held' in from && !isInOrder(from) ? !from.isCut : from.starts[0] === ''
  const isFromEnd = 'held' in from && isInOrder(from) && from.isNamed && !from.next
  let page = held.length > 0 ? merged(held) : undefined
  let lowest: string | undefined
  for (;;) {
    const cursor = page ? '' : starts.pop()
    page ??= await fetchPage(services, repo, {
      collection,
      limit: MAX_PAGE,
      cursor: cursor || undefined,
    })
    const isEnough = await intake.add(below(newestFirst(page), lowest))
    lowest = lowestOf(page, lowest)
    page = undefined
    const floor = isFromEnd ? lowest : undefined
    if (starts.length === 0) {
      const next = isComplete || lowest === undefined ? undefined : { below: lowest }
      return intake.end({ complete: isFromEnd && isComplete, floor, next })
    }
    if (isEnough || intake.isSpent || intake.listed >= walk.maxRecords) {
      return intake.end({ complete: false, floor, next: { pages: positionsIn(starts) } })
    }
  }
}

function below(page: ListedPage, lowest: string | undefined): ListedPage {
  if (lowest === undefined) return page
  return onlyNew(
    page,
    page.keys.filter((key) => key < lowest),
  )
}

function lowestOf({ keys }: ListedPage, lowest: string | undefined): string | undefined {
  return keys.reduce((least, key) => (least === undefined || key < least ? key : least), lowest)
}

/** The last of the places, as many as a row may hold. */
function positionsIn(starts: string[]): string[] {
  let characters = 0
  const fitting = starts.toReversed().findIndex((start) => {
    characters += start.length
    return characters > MAX_POSITION_CHARACTERS
  })
  const count = Math.min(MAX_POSITIONS, fitting < 0 ? starts.length : Math.max(1, fitting))
  return starts.slice(-count)
}

function merged(pages: ListedPage[]): ListedPage {
  const records = new Map<string, PdsRecord>()
  for (const page of pages) for (const record of page.records) records.set(record.rkey, record)
  const last = pages.at(-1)!
  return {
    keys: [...new Set(pages.flatMap(({ keys }) => keys))],
    records: [...records.values()],
    broken: [...new Set(pages.flatMap(({ broken }) => broken))],
    mismatched: pages.reduce((sum, page) => sum + page.mismatched, 0),
    cursor: last.cursor,
    fetchedAt: Math.min(...pages.map(({ fetchedAt }) => fetchedAt)),
  }
}
