// The jobs that read an author's posts, reposts and likes: the newest; all of the last hours where no stream
// delivers them; and older ones page by page, as long as a timeline is too short.

import { type Collection, collectionCodes } from '../../base/atproto/collections.ts'
import { tidTimeMs } from '../../base/atproto/tid.ts'
import { findBackfill } from '../../data/store/backfills.ts'
import { findFeedDepth, putFeedDepth } from '../../data/store/feed-depths.ts'
import {
  type ListedPage,
  type ListingBounds,
  type ListingEnd,
  type Take,
  walkCollection,
} from '../../sources/pds/listing.ts'
import { MAX_PAGE, type RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import { reconcile } from './reconcile.ts'
import { type RepoJobResult, sum } from './repo-jobs.ts'
import { withinBudget } from './within-budget.ts'
import { type Services, yieldToOthers } from './work.ts'

const POST: Collection = 'app.bsky.feed.post'
const REPOST: Collection = 'app.bsky.feed.repost'
const GATES: Collection[] = ['app.bsky.feed.threadgate', 'app.bsky.feed.postgate']
const LIKE: Collection = 'app.bsky.feed.like'

/** Loads the newest posts and reposts, up to a target number. */
export async function loadFeed(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { limits, now } = services
  const oldest = now() - limits.feedMaxAgeMs
  const isEnough = (page: ListedPage) => isShort(page) || lastCreatedAt(page) < oldest
  const { take, cut } = withinBudget(services, repo)
  const load = async (collection: Collection, maxRecords: number) => {
    const pages = watchPages(isEnough)
    const end = await reconcile(services, repo, {
      collection,
      maxRecords,
      take,
      isEnough: pages.isEnough,
    })
    noteDepth(services, repo, { collection, end, last: pages.last(), pages: 0 })
    return end
  }
  const results = [await load(POST, limits.feedPosts), await load(REPOST, limits.feedReposts)]
  return { ...sum(results), cut }
}

/**
 * Loads the very newest with one light request per collection, and another if those are all just a
 * few hours old. `feed` loads them too.
 */
export async function loadLatest(services: Services, repo: RepoTarget): Promise<void> {
  const { latest, latestMs } = services.limits
  const since = services.now() - latestMs
  const { take } = withinBudget(services, repo, { isCounted: false })
  for (const collection of [POST, REPOST]) {
    if (findFeedDepth(services.db, repo.uid, collectionCodes[collection])) continue
    const { cursor, last } = await pageFrom(services, repo, { collection, size: latest, take })
    if (cursor !== undefined && last && lastWrittenAt(last) >= since)
      await pageFrom(services, repo, { collection, cursor, take })
  }
}

/** Loads all posts, reposts and likes of the last hours; other jobs load the older ones. */
export async function loadRecent(services: Services, repo: RepoTarget): Promise<void> {
  const { maxRecent: maxRecords, recentMs } = services.limits
  const since = services.now() - recentMs
  const isEnough = (page: ListedPage) => isShort(page) || lastWrittenAt(page) < since
  for (const collection of [POST, REPOST, LIKE]) {
    await reconcile(services, repo, {
      collection,
      maxRecords,
      isEnough,
      take: withinBudget(services, repo).take,
    })
  }
}

/**
 * Loads a stranger's newest posts and reposts, kept because a member views them, and the gates that
 * say who may reply.
 */
export async function loadPage(services: Services, repo: RepoTarget): Promise<void> {
  const { pagePosts: maxRecords } = services.limits
  const { take } = withinBudget(services, repo)
  for (const collection of [POST, REPOST]) {
    const pages = watchPages(() => true)
    const { isEnough } = pages
    const what = { collection, maxRecords, isEnough, take, isShown: true }
    const end = await reconcile(services, repo, what)
    const last = pages.last()
    noteDepth(services, repo, { collection, end, last, size: maxRecords, pages: 0 })
  }
  for (const collection of GATES) {
    await reconcile(services, repo, { collection, maxRecords, isEnough: () => true, take })
  }
}

/**
 * Loads the next page of posts and of reposts, from where reading stopped; for a stranger, because
 * a member views them.
 */
export async function loadOlder(services: Services, repo: RepoTarget): Promise<void> {
  const isShown = findBackfill(services.db, repo.uid, 'feed') === undefined
  for (const collection of [POST, REPOST]) {
    const depth = findFeedDepth(services.db, repo.uid, collectionCodes[collection])
    if (depth?.cursor === undefined) continue
    const { cursor, pages } = depth
    await pageFrom(services, repo, { collection, cursor, pages: pages + 1, isShown })
  }
}

type PageToRead = {
  collection: Collection
  cursor?: string
  size?: number
  pages?: number
  take?: Take
  isShown?: boolean
}

/** Loads one page and notes its depth; without a cursor, the server's first page. */
async function pageFrom(
  services: Services,
  repo: RepoTarget,
  of: PageToRead,
): Promise<{ cursor: string | undefined; last: ListedPage | undefined }> {
  const { collection, cursor, size = MAX_PAGE, pages = 0, isShown } = of
  const budget = withinBudget(services, repo)
  const { take = budget.take } = of
  const watched = watchPages((page) => isShort(page, size))
  const { isEnough } = watched
  const bounds = { collection, from: cursor, isEnough, take, maxRecords: size, isShown }
  const end = await walkOn(services, repo, bounds)
  const last = watched.last()
  // No later job reads the rest of a stranger's page: the next view goes on from here.
  const isCut = isShown === true && budget.cut.leftOut > 0
  if (!isCut) noteDepth(services, repo, { collection, end, last, size, pages })
  return { cursor: end.cursor, last }
}

async function walkOn(
  services: Services,
  repo: RepoTarget,
  bounds: ListingBounds & { collection: Collection; isShown: boolean | undefined },
): Promise<ListingEnd> {
  const { collection, isShown } = bounds
  try {
    return await walkCollection(services, repo, {
      ...bounds,
      onPage: ({ records, fetchedAt }) =>
        applySliced(services, { did: repo.did, collection, records, fetchedAt, isShown }),
    })
  } catch (error) {
    // The account moved to a server that does not accept the old cursor.
    const isRefused = error instanceof PdsError && error.reason === 'bad-answer'
    if (!isRefused || bounds.from === undefined) throw error
    return { complete: true, floor: undefined, cursor: undefined, listed: 0 }
  }
}

async function applySliced(
  services: Services,
  fetched: Parameters<Services['apply']['put']>[0],
): Promise<void> {
  const { apply, limits } = services
  const { records } = fetched
  for (let start = 0; start < records.length; start += limits.slice) {
    apply.put({ ...fetched, records: records.slice(start, start + limits.slice) })
    await yieldToOthers(services)
  }
}

/** Remembers the last page that was passed to `isEnough`. */
function watchPages(isEnough: (page: ListedPage) => boolean) {
  let last: ListedPage | undefined
  return {
    isEnough: (page: ListedPage) => {
      last = page
      return isEnough(page)
    },
    last: () => last,
  }
}

function noteDepth(
  { commit, now }: Services,
  { uid }: RepoTarget,
  depth: {
    collection: Collection
    end: ListingEnd
    last: ListedPage | undefined
    pages: number
    size?: number
  },
): void {
  const { collection, end, last, pages, size } = depth
  const isWhole = end.complete || (last !== undefined && isShort(last, size))
  const createdAt = last ? lastCreatedAt(last) : Number.POSITIVE_INFINITY
  const oldestAt = Number.isFinite(createdAt) ? createdAt : now()
  const cursor = isWhole ? undefined : end.cursor
  const reached = { cursor, oldestAt, pages }
  commit(({ db }) => putFeedDepth(db, uid, collectionCodes[collection], reached))
}

/**
 * The lexicon does not say that a short page is the last, but this is good enough where not
 * everything is needed.
 */
function isShort({ records, broken }: ListedPage, size = MAX_PAGE): boolean {
  return records.length + broken.length < size
}

function lastCreatedAt(page: ListedPage): number {
  const createdAt = Date.parse(String(page.records.at(-1)?.record['createdAt']))
  return Number.isNaN(createdAt) ? Number.POSITIVE_INFINITY : createdAt
}

/** Time of the record key, by its writer's clock. */
function lastWrittenAt(page: ListedPage): number {
  return tidTimeMs(page.records.at(-1)?.rkey ?? '')
}
