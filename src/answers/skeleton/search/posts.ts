// Searches posts by content. `latest`: by sortAt and CID, both descending, with the cursor of feeds; the
// index resolves time to about a second, so a page is read period by period and each is sorted exactly.
// `top`: the most liked of a window of the newest matches first, then further windows below, so that every
// post is reached; likes count less the older a post is. Matches are checked against the rows: a deleted post
// disappears at once, even if still indexed.

import { unpackCid } from '../../../base/atproto/keys.ts'
import { HOUR_MS } from '../../../base/util/durations.ts'
import { threadMs } from '../../../base/util/thread-time.ts'
import type { Db } from '../../../data/store/db.ts'
import { prepareTags } from '../../../data/store/read/moderation/moderation-tags.ts'
import {
  type FoundPost,
  type PositionRange,
  type PostPosition,
  type PostSearch,
  preparePostSearch,
} from '../../../data/store/read/posts/post-search.ts'
import { PERIOD_MS, periodOf } from '../../../data/store/search/post-index.ts'
import type { PostMatch } from '../../../data/store/search/post-query.ts'
import { atOneMoment } from '../../../data/store/transact.ts'
import {
  BadCursorError,
  cursorBetween,
  formatTimeCursor,
  inFeedOrder,
  isBelow,
  type PositionedItem,
  parseFeedCursor,
} from '../page-cursor.ts'
import type { SkeletonPage } from '../skeleton-page.ts'
import { countPosts, type Scan, scanPosts } from './post-scan.ts'

export type PostSearchRequest = {
  /** The result of `matchOf` in data/store/search/post-query.ts. */
  match: PostMatch
  /** Milliseconds; `since` is inclusive, `until` exclusive. */
  since: number
  until: number
  sort: 'latest' | 'top'
  limit: number
  cursor: string | undefined
  /** Only posts by these accounts. */
  authors?: Uint32Array | undefined
  /** Leaves out posts that have one of these tags, or whose author has one, except by one account. */
  leftOut?: { tags: readonly string[]; except: number } | undefined
}

export type PostHitsRequest = Pick<PostSearchRequest, 'match' | 'since' | 'until'>

/** A page of posts.id. */
export type PostSearchPage = SkeletonPage<number> & {
  /** Whether the page ended early because reading on would have taken too long. */
  isCut: boolean
}

const CHUNK = 100
/** Beyond this many posts in one period, posts are not ordered by time within it. */
const MAX_CHUNK = 6_400
/** Index rows examined per page. */
const MAX_LOOKED_AT = 2_000
const WINDOW = 1_000
const MAX_WINDOWS = 3
/** The age that halves the weight of a post's likes. */
const LIKES_HALVE_IN_MS = 12 * HOUR_MS
const COUNTED = 5_000
/**
 * Processor time for a page, and for the number of hits; one stretch of the index is read in any
 * case.
 */
const MAX_MS = 40
/** The same for a window that was read before: cut short, it would show posts twice. */
const AGAIN_MAX_MS = 100
const MAX_PERIOD = 2 ** 31 - 1

/** A page that is being read. */
type Reading = {
  search: PostSearch
  tags: Pick<ReturnType<typeof prepareTags>, 'posts' | 'accounts'>
  isTimeOver: () => boolean
  /** The authors that are wanted; undefined: all. */
  authors?: ReadonlySet<number> | undefined
}

/**
 * @returns `page` reads one page; @throws BadCursorError. `count` counts matches up to a few
 * thousand.
 */
export function createPostSearch(db: Db) {
  const search = preparePostSearch(db)
  const tags = prepareTags(db)
  const begin = (maxMs: number, { authors }: Pick<PostSearchRequest, 'authors'> = {}): Reading => {
    const endsAt = threadMs() + maxMs
    const isTimeOver = () => threadMs() >= endsAt
    return { search, tags, isTimeOver, authors: authors && new Set(authors) }
  }

  function page(request: PostSearchRequest): PostSearchPage {
    if (request.sort === 'latest') return latestPage(begin(MAX_MS, request), request)
    const at = parseTopCursor(request.cursor)
    return topPage(begin(at?.from ? AGAIN_MAX_MS : MAX_MS, request), request, at)
  }

  function count(request: PostHitsRequest): number {
    const { isTimeOver } = begin(MAX_MS)
    const options = { range: rangeOf(request), limit: COUNTED, isTimeOver }
    return countPosts(search, request.match, options)
  }

  // Meanwhile, posts may move from one stretch of the index to another.
  return { page: atOneMoment(db, page), count: atOneMoment(db, count) }
}

function rangeOf({ since, until }: Pick<PostSearchRequest, 'since' | 'until'>): PositionRange {
  return { from: { period: periodOf(since), id: 0 }, below: { period: endOf(until), id: 0 } }
}

/** The first period entirely at or after this time; all before 1970 is in the first of all. */
function endOf(time: number): number {
  return Math.min(periodOf(time - 1) + 1, MAX_PERIOD)
}

function foundPosts(
  { search, tags, authors }: Reading,
  { since, until, leftOut }: PostSearchRequest,
  positions: readonly PostPosition[],
): FoundPost[] {
  const found = search
    .posts(positions.map(({ id }) => id))
    .filter(({ sortAt, uid }) => sortAt >= since && sortAt < until && (authors?.has(uid) ?? true))
  if (!leftOut) return found
  const posts = tags.posts(
    found.map(({ id }) => id),
    leftOut.tags,
  )
  const accounts = tags.accounts(
    found.map(({ uid }) => uid),
    leftOut.tags,
  )
  return found.filter(
    ({ id, uid }) => uid === leftOut.except || !(posts.has(id) || accounts.has(uid)),
  )
}

function latestPage(reading: Reading, request: PostSearchRequest): PostSearchPage {
  const { match, limit, cursor } = request
  const before = cursor === undefined ? undefined : parseFeedCursor(cursor)
  const until = Math.min(request.until, before ? before.sortAt + 1 : Infinity)
  const range = rangeOf({ since: request.since, until })
  const found: PositionedItem[] = []
  let below: PostPosition | undefined = range.below
  let isCut = false
  for (let looked = 0; below && found.length <= limit && looked < MAX_LOOKED_AT && !isCut; ) {
    const periods = readPeriods(reading, match, { from: range.from, below })
    looked += periods.positions.length
    below = periods.next
    isCut = periods.isCut
    const posts = foundPosts(reading, request, periods.positions).map(({ id, sortAt, cid }) => {
      return { sortAt, cid: unpackCid(cid), tie: id }
    })
    const rest = before ? posts.filter((post) => isBelow(post, before)) : posts
    found.push(...rest.sort(inFeedOrder))
  }
  const items = found.slice(0, limit).map(({ tie }) => tie)
  return { items, cursor: latestCursor(found, limit, below), isCut }
}

function latestCursor(
  found: readonly PositionedItem[],
  limit: number,
  below: PostPosition | undefined,
): string | undefined {
  if (found.length > limit) return cursorBetween(found[limit - 1]!, found[limit])
  // Exactly there: a period above would be one more read that finds nothing.
  return below && formatTimeCursor(below.period * PERIOD_MS)
}

type Periods = { positions: PostPosition[]; next: PostPosition | undefined; isCut: boolean }

/** Reads whole periods, newest first; `next` is where the following period begins. */
function readPeriods(
  { search, isTimeOver }: Reading,
  match: PostMatch,
  range: PositionRange,
): Periods {
  for (let chunk = CHUNK; ; chunk *= 4) {
    const { positions, cutAt } = scanPosts(search, match, { range, limit: chunk, isTimeOver })
    if (positions.length < chunk) return { positions, next: cutAt, isCut: cutAt !== undefined }
    const { period } = positions.at(-1)!
    const complete = positions.filter((position) => position.period > period)
    if (complete.length > 0)
      return { positions: complete, next: { period: period + 1, id: 0 }, isCut: false }
    if (chunk >= MAX_CHUNK) return { positions, next: { period, id: 0 }, isCut: false }
  }
}

type Scored = { id: number; score: number }
/** The window, or only its start, and the last post already returned from it. */
type TopCursor = { below: PostPosition; from?: PostPosition; after?: Scored }

function topPage(
  reading: Reading,
  request: PostSearchRequest,
  from: TopCursor | undefined,
): PostSearchPage {
  const { limit } = request
  const range = rangeOf(request)
  const ids: number[] = []
  let at: TopCursor | undefined = from ?? { below: range.below }
  let isCut = false
  for (let windows = 0; at && windows < MAX_WINDOWS && ids.length < limit && !isCut; windows++) {
    const scan = scanWindow(reading, request, at)
    isCut = scan.cutAt !== undefined
    const scored = inOrder(reading, request, scan, at.after)
    const taken = scored.slice(0, limit - ids.length)
    for (const { id } of taken) ids.push(id)
    const next: PostPosition | undefined = windowBelow(scan, at.from, range.from)
    // The window is fixed from here on, since new posts would move it.
    const after = taken.at(-1) ?? at.after
    if (taken.length < scored.length) at = sameWindow(scan, next ?? range.from, after)
    else at = next && { below: next }
  }
  return { items: ids, cursor: at && formatTopCursor(at), isCut }
}

/** A window that was read once is read again whole, if time permits. */
function scanWindow(
  { search, isTimeOver }: Reading,
  { match, ...times }: PostSearchRequest,
  { below, from }: TopCursor,
): Scan {
  const range = { from: from ?? rangeOf(times).from, below }
  return scanPosts(search, match, { range, limit: from ? 2 * WINDOW : WINDOW, isTimeOver })
}

function inOrder(
  reading: Reading,
  request: PostSearchRequest,
  { positions }: Scan,
  after: Scored | undefined,
): Scored[] {
  return foundPosts(reading, request, positions)
    .map((post) => ({ id: post.id, score: scoreOf(post) }))
    .filter((post) => !after || bestFirst(after, post) < 0)
    .sort(bestFirst)
}

/** Where the next window begins; undefined if there is none. */
function windowBelow(
  { positions, cutAt }: Scan,
  from: PostPosition | undefined,
  first: PostPosition,
): PostPosition | undefined {
  if (cutAt) return cutAt
  if (!from) return positions.length < WINDOW ? undefined : positions.at(-1)
  return from.period === first.period && from.id === first.id ? undefined : from
}

function sameWindow({ positions }: Scan, from: PostPosition, after: Scored | undefined): TopCursor {
  const { period, id } = positions[0]!
  return { below: { period, id: id + 1 }, from, ...(after && { after }) }
}

/**
 * Doubling the likes offsets a fixed number of hours, so the order does not depend on the time of
 * the query.
 */
function scoreOf({ likes, reposts, replies, quotes, sortAt }: FoundPost): number {
  const score = Math.log2(1 + likes + replies + 2 * (reposts + quotes)) + sortAt / LIKES_HALVE_IN_MS
  return Math.round(score * 1e6) / 1e6
}

function bestFirst(a: Scored, b: Scored): number {
  return b.score - a.score || b.id - a.id
}

function formatTopCursor({ below, from, after }: TopCursor): string {
  const begin = `${below.period}.${below.id}`
  return from && after ? `${begin}__${from.period}.${from.id}__${after.score}_${after.id}` : begin
}

const POSITION = '(\\d{1,10})\\.(\\d{1,10})'
const TOP_CURSOR = new RegExp(
  `^${POSITION}(?:__${POSITION}__(-?\\d{1,7}(?:\\.\\d{1,6})?)_(\\d{1,10}))?$`,
)

function parseTopCursor(cursor: string | undefined): TopCursor | undefined {
  if (cursor === undefined) return undefined
  const match = TOP_CURSOR.exec(cursor)
  if (!match) throw new BadCursorError()
  const [period, id, lastPeriod, lastId, score, scoredId] = match.slice(1).map(Number)
  const below = { period: period!, id: id! }
  if (match[3] === undefined) return { below }
  const from = { period: lastPeriod!, id: lastId! }
  return { below, from, after: { score: score!, id: scoredId! } }
}
