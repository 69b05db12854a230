// Reads the newest records of a collection, in whatever order its server lists it. By falling key, they come
// first. By rising key, the server is asked for the reversed listing, and if it has none, all pages are read
// and then taken from the last one. In any other order, and if there are too many pages, the repository's own
// file tells; without one, as many pages are read as the bounds allow, and the newest of their records taken.

import { isUnlistable, walkRepository } from './complete-walk.ts'
import { newestFirst } from './intake.ts'
import { fetchPage, walkCollection } from './listing.ts'
import { type KeyOrder, watchOrder } from './page-order.ts'
import { MAX_PAGE, type RepoTarget } from './pds-client.ts'
import { noteRefusal, refusesReverse } from './reverse-refusals.ts'
import { MOST_AT_ONCE, readForward, walkBack } from './rising.ts'
import type { ListedPage, ListingEnd, ListingServices, Position, Walk } from './walk.ts'

export type NewestWalk = Walk & {
  /** Begins where an earlier walk ended. */
  from?: Position | undefined
  /** At most two requests: a listing of another order is not read. */
  isLight?: boolean
}

/**
 * Pages come newest first. Resolves to undefined if a light walk took nothing.
 * @throws PdsError
 */
export async function walkNewest(
  services: ListingServices,
  repo: RepoTarget,
  walk: NewestWalk,
): Promise<ListingEnd | undefined> {
  if (walk.from) return walkOn(services, repo, walk, walk.from)
  try {
    return await walkFromStart(services, repo, walk)
  } catch (error) {
    const read =
      isUnlistable(error) && !walk.isLight && (await walkRepository(services, repo, walk))
    if (read) return read
    throw error
  }
}

function walkOn(
  services: ListingServices,
  repo: RepoTarget,
  walk: Walk,
  from: Position,
): Promise<ListingEnd> {
  if ('below' in from) return walkBelow(services, repo, walk, from.below)
  if ('pages' in from) return walkBack(services, repo, walk, { starts: from.pages })
  if ('cursor' in from) return walkCollection(services, repo, { ...walk, cursor: from.cursor })
  return walkCollection(services, repo, { ...walk, cursor: from.reversed, reverse: true })
}

/** Reads all again for the records below a key, and takes more than a page of them, since each reading costs so much. */
async function walkBelow(
  services: ListingServices,
  repo: RepoTarget,
  walk: Walk,
  below: string,
): Promise<ListingEnd> {
  const { collection } = walk
  const readOn = (page: ListedPage) => {
    walk.isEnough?.(page)
    return false
  }
  const rest = { ...walk, below, maxRecords: MOST_AT_ONCE, isEnough: readOn }
  const read = await walkRepository(services, repo, rest)
  if (read) return read
  const first = await fetchPage(services, repo, { collection, limit: MAX_PAGE })
  return walkBack(services, repo, rest, await readForward(services, repo, rest, { first }))
}

async function walkFromStart(
  services: ListingServices,
  repo: RepoTarget,
  walk: NewestWalk,
): Promise<ListingEnd | undefined> {
  const first = await fetchPage(services, repo, { ...walk, limit: walk.maxRecords })
  const isOnly = first.cursor === undefined
  const order = orderOf(first)
  if (isOnly || order === 'falling') {
    return walkCollection(services, repo, { ...walk, first: isOnly ? newestFirst(first) : first })
  }
  const reversed = await reversedPage(services, repo, walk, first)
  if (reversed) {
    return walkCollection(services, repo, { ...walk, first: reversed, reverse: true })
  }
  if (walk.isLight) return undefined
  if (order === 'rising') return walkRising(services, repo, walk, first)
  const read = await walkRepository(services, repo, walk)
  return read ?? walkBack(services, repo, walk, await readForward(services, repo, walk, { first }))
}

/** The first page of the reversed listing, if the server has one and it falls. */
async function reversedPage(
  services: ListingServices,
  repo: RepoTarget,
  { collection, maxRecords: limit }: Walk,
  first: ListedPage,
): Promise<ListedPage | undefined> {
  if (refusesReverse(services, repo.pds)) return undefined
  try {
    const page = await fetchPage(services, repo, { collection, limit, reverse: true })
    const isOther = page.keys.length > 0 && page.keys[0] !== first.keys[0]
    if (isOther) return orderOf(page) === 'falling' ? page : undefined
  } catch (error) {
    if (!isUnlistable(error)) throw error
  }
  noteRefusal(services, repo.pds)
  return undefined
}

async function walkRising(
  services: ListingServices,
  repo: RepoTarget,
  walk: Walk,
  first: ListedPage,
): Promise<ListingEnd> {
  const read = await readForward(services, repo, walk, { first })
  if (read.watch.order === 'rising' && read.next === undefined) {
    return walkBack(services, repo, walk, read)
  }
  const complete = await walkRepository(services, repo, walk)
  if (complete) return complete
  const further = await readForward(services, repo, walk, read)
  return walkBack(services, repo, walk, further)
}

function orderOf({ keys }: ListedPage): KeyOrder {
  const watch = watchOrder()
  watch.add(keys)
  return watch.order
}
