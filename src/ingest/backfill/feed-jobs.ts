// The jobs that read an author's posts, reposts and likes: the newest; all of the last hours where no stream
// delivers them; and older ones page by page, as long as a timeline is too short.

import { type Collection, collectionCodes } from '../../base/atproto/collections.ts'
import { tidTimeMs } from '../../base/atproto/tid.ts'
import { findBackfill } from '../../data/store/fetching/backfills.ts'
import { findFeedDepth, putFeedDepth } from '../../data/store/fetching/feed-depths.ts'
import { type NewestWalk, walkNewest } from '../../sources/pds/newest.ts'
import { MAX_PAGE, type RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import type { ListedPage, ListingEnd, Position, Take } from '../../sources/pds/walk.ts'
import { positionOfText, textOfPosition } from './feed-position.ts'
import { reconcile } from './reconcile.ts'
import { type RepoJobResult, sum } from './repo-jobs.ts'
import { withinBudget } from './within-budget.ts'
import { type Services, yieldToOthers } from './work.ts'

const POST: Collection = 'app.bsky.feed.post'
const REPOST: Collection = 'app.bsky.feed.repost'
const GATES: Collection[] = ['app.bsky.feed.threadgate', 'app.bsky.feed.postgate']
const LIKE: Collection = 'app.bsky.feed.like'
const FEWEST_OF_A_FULL_PAGE = 10

/** Loads the newest posts and reposts, up to a target number. */
export async function loadFeed(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  const { limits, now } = services
  const oldest = now() - limits.feedMaxAgeMs
  const isEnough = (page: ListedPage) => isLast(page) || lastCreatedAt(page) < oldest
  const { take, cut } = withinBudget(services, repo)
  const load = async (collection: Collection, maxRecords: number) => {
    const pages = watchPages(isEnough)
    const end = await reconcile(services, repo, {
      collection,
      maxRecords,
      take,
      onlyNewest: true,
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
    const first = { collection, size: latest, take, isLight: true }
    const { next: from, last } = await pageFrom(services, repo, first)
    if (from !== undefined && last && lastWrittenAt(last) >= since)
      await pageFrom(services, repo, { collection, from, take })
  }
}

/** Loads all posts, reposts and likes of the last hours; other jobs load the older ones. */
export async function loadRecent(services: Services, repo: RepoTarget): Promise<void> {
  const { maxRecent: maxRecords, recentMs } = services.limits
  const since = services.now() - recentMs
  const isEnough = (page: ListedPage) => isLast(page) || lastWrittenAt(page) < since
  for (const collection of [POST, REPOST, LIKE]) {
    await reconcile(services, repo, {
      collection,
      maxRecords,
      isEnough,
      onlyNewest: true,
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
    const what = { collection, maxRecords, isEnough, take, onlyNewest: true, isVisible: true }
    const end = await reconcile(services, repo, what)
    const last = pages.last()
    noteDepth(services, repo, { collection, end, last, pages: 0 })
  }
  for (const collection of GATES) {
    const what = { collection, maxRecords, isEnough: () => true, take, onlyNewest: true }
    await reconcile(services, repo, what)
  }
}

/**
 * Loads the next page of posts and of reposts, from where reading stopped; for a stranger, because
 * a member views them.
 */
export async function loadOlder(services: Services, repo: RepoTarget): Promise<void> {
  const isVisible = findBackfill(services.db, repo.uid, 'feed') === undefined
  for (const collection of [POST, REPOST]) {
    const depth = findFeedDepth(services.db, repo.uid, collectionCodes[collection])
    if (depth?.cursor === undefined) continue
    const from = positionOfText(depth.cursor)
    await pageFrom(services, repo, { collection, from, pages: depth.pages + 1, isVisible })
  }
}

type PageToRead = {
  collection: Collection
  from?: Position
  size?: number
  pages?: number
  take?: Take
  isVisible?: boolean
  isLight?: boolean
}

/** Loads one page and notes its depth; from nowhere, the newest. */
async function pageFrom(
  services: Services,
  repo: RepoTarget,
  of: PageToRead,
): Promise<{ next?: Position | undefined; last?: ListedPage | undefined }> {
  const { collection, from, size = MAX_PAGE, pages = 0, isVisible, isLight = false } = of
  const budget = withinBudget(services, repo)
  const { take = budget.take } = of
  const { isEnough, last } = watchPages(() => true)
  const bounds = { collection, from, isEnough, take, maxRecords: size, isVisible, isLight }
  const end = await walkOn(services, repo, bounds)
  if (!end) return {}
  // No later job reads the rest of a stranger's page: the next view goes on from here.
  const isCut = isVisible === true && budget.cut.leftOut > 0
  if (!isCut) noteDepth(services, repo, { collection, end, last: last(), pages })
  return { next: end.next, last: last() }
}

async function walkOn(
  services: Services,
  repo: RepoTarget,
  bounds: Omit<NewestWalk, 'onPage'> & { isVisible: boolean | undefined },
): Promise<ListingEnd | undefined> {
  const { collection, isVisible } = bounds
  try {
    return await walkNewest(services, repo, {
      ...bounds,
      onPage: ({ records, fetchedAt }) =>
        applySliced(services, { did: repo.did, collection, records, fetchedAt, isVisible }),
    })
  } catch (error) {
    // The account moved to a server that does not accept the old cursor.
    const isRefused = error instanceof PdsError && error.reason === 'bad-answer'
    if (!isRefused || bounds.from === undefined) throw error
    return { complete: true, floor: undefined, next: undefined, listed: 0 }
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
  },
): void {
  const { collection, end, last, pages } = depth
  const createdAt = last ? lastCreatedAt(last) : Number.POSITIVE_INFINITY
  const oldestAt = Number.isFinite(createdAt) ? createdAt : now()
  const isComplete = end.complete || (last !== undefined && isLast(last))
  const cursor = isComplete ? undefined : textOfPosition(end.next)
  const reached = { cursor, oldestAt, pages }
  commit(({ db }) => putFeedDepth(db, uid, collectionCodes[collection], reached))
}

/**
 * Bluesky's PDS adds a cursor to every page. No server is known that answers with so few records
 * where it has more; with more than these, its own limit may be lower than ours.
 */
function isLast({ keys }: ListedPage): boolean {
  return keys.length < FEWEST_OF_A_FULL_PAGE
}

function lastCreatedAt(page: ListedPage): number {
  const createdAt = Date.parse(String(page.records.at(-1)?.record['createdAt']))
  return Number.isNaN(createdAt) ? Number.POSITIVE_INFINITY : createdAt
}

/** Time of the record key, by its writer's clock. */
function lastWrittenAt(page: ListedPage): number {
  return tidTimeMs(page.records.at(-1)?.rkey ?? '')
}
