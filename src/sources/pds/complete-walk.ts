// Reads a collection as a whole: by its listing, and from the repository's own file (getRepo) where the listing
// proves nothing, breaks off, or is too long to reach the newest. If there is no such file, the listing counts
// as it is.

import { createIntake } from './intake.ts'
import { walkCollection } from './listing.ts'
import type { RepoTarget } from './pds-client.ts'
import { PdsError } from './pds-error.ts'
import { collectionPages } from './repo-file.ts'
import type { ListingEnd, ListingServices, Walk } from './walk.ts'

/** @throws PdsError */
export async function walkComplete(
  services: ListingServices,
  repo: RepoTarget,
  walk: Walk,
): Promise<ListingEnd> {
  const { end, error } = await listed(services, repo, walk)
  if (end && isGood(end)) return end
  const read = (await walkRepository(services, repo, walk)) ?? end
  if (read) return read
  throw error
}

/** Ended for good, or stopped on the way down by the walk's own bounds. */
function isGood({ complete, floor }: ListingEnd): boolean {
  return complete || floor !== undefined
}

async function listed(
  services: ListingServices,
  repo: RepoTarget,
  walk: Walk,
): Promise<{ end?: ListingEnd; error?: PdsError }> {
  try {
    return { end: await walkCollection(services, repo, walk) }
  } catch (error) {
    if (isUnlistable(error)) return { error }
    throw error
  }
}

/** The server can't list the collection, now or ever, but may have its records. */
export function isUnlistable(error: unknown): error is PdsError {
  const reason = error instanceof PdsError && error.reason
  return reason === 'bad-answer' || reason === 'not-found'
}

/**
 * Reads the collection from the repository's file, newest first, or only what lies below a key;
 * undefined if the server has none that can be read. @throws PdsError if the server asks us to wait, or we are shutting down
 */
export async function walkRepository(
  services: ListingServices,
  repo: RepoTarget,
  walk: Walk & { below?: string },
): Promise<ListingEnd | undefined> {
  const intake = createIntake(repo, walk)
  const { signal, now } = services
  const { did, isMirror: isAsOfRev } = repo
  const { collection, below } = walk
  const of = { did, collection, below, fetchedAt: now(), isAsOfRev }
  try {
    return await services.pds.withRepo(repo, async (car) => {
      let floor: string | undefined
      for await (const page of collectionPages(car, of, signal)) {
        const isEnough = await intake.add(page)
        floor = page.keys.at(-1) ?? floor
        if (isEnough || intake.isSpent || intake.listed >= walk.maxRecords) {
          const next = floor === undefined ? undefined : { below: floor }
          return intake.end({ complete: false, floor, next })
        }
      }
      return intake.end({ complete: true, floor, next: undefined })
    })
  } catch (error) {
    if (isUnlistable(error) || isBeyond(error)) return undefined
    throw error
  }
}

function isBeyond(error: unknown): boolean {
  const reason = error instanceof PdsError && error.reason
  return reason === 'unreachable' || reason === 'gone'
}
