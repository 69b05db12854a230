// The ids of a home timeline page. Above the ring's end, the page is the ring plus the newest items of
// followed celebrities (which are not fanned out). Below it, or if no ring is open, the page is merged from
// the followed accounts' own rows. Both use the same draw for lossy timelines, so that no seam shows.

import type { FollowGraphReader, TimelineReader } from '@slipstream/follow-graph'
import { atOnce } from '../../base/util/turn.ts'
import { type ActorReader, CELEBRITY, HIDDEN } from '../../data/graph/types.ts'
import type {
  FeedBatch,
  FeedHeads,
  FeedRow,
  MergedFeed,
} from '../../data/store/timelines/merged-feed.ts'
import {
  cursorAfter,
  type FeedRange,
  firstLimit,
  inOrder,
  joinBatches,
  LATEST,
  rowsInRange,
  rowsInSteps,
  startCursorOf,
} from './feed-page.ts'
import { parseFeedCursor } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

/**
 * `since` and `startCursor` follow the open proposal (bluesky-social/atproto pull request 5493).
 * `since` is an exclusive lower bound in the form of a cursor. If a bounded range is read to its
 * end, the cursor is `since` itself, because a missing cursor means the end of the feed.
 * `startCursor` is the place of the page's newest row, before any filtering.
 */
export type TimelineRequest = {
  viewer: number
  limit: number
  cursor: string | undefined
  since: string | undefined
  /** What `createTimelineHeads` read for this request. */
  heads?: TimelineHeads | undefined
}

/** The newest items of the followed accounts, and what they yield for the first read of the page. */
export type TimelineHeads = FeedHeads & { readonly first: FirstRead }

type FirstRead = Span & { limit: number; batch: FeedBatch }
type Span = { until: number; since: number | undefined }

/** Items of data/store/timelines/item-ids.ts, newest first. */
export type FeedSkeleton = SkeletonPage<number> & {
  startCursor?: string
  /** The place of the page's last row. */
  endCursor?: string
  /** Number of the viewer's follows that this page did not read. */
  followsLeftOut?: number
}

export type TimelineContext = {
  graph: FollowGraphReader
  actors: ActorReader
  timelines: TimelineReader
  feed: MergedFeed
  /** Whether a lossy timeline keeps the item: the same draw as in the fan-out. */
  isDrawn: (owner: number, item: number) => boolean
}

/** Finding the newest items of so many accounts takes some milliseconds. */
const MANY_FOLLOWS = 2_000
const OWN_ITEMS_A_PAGE = 10
const FOLLOWS_PAGE = 8_192
/**
 * Reading a page from rows costs about a microsecond per account; this caps it at a tenth of a
 * second.
 */
const MAX_MERGED_ACCOUNTS = 100_000
const MAX_RING_READ = 1 << 17

/**
 * Mixes in the viewer's own items like the reference: they fill the places that the followed
 * accounts leave free, and otherwise take up to ten places. They are read from the ring if it
 * reaches down to the end of the page, else from rows.
 *
 * @returns a function that reads one page; @throws BadCursorError for a cursor or `since` we did
 * not issue.
 */
export function createTimelineSkeleton(context: TimelineContext) {
  const inSteps = createTimelineSteps(context)
  return (request: TimelineRequest): FeedSkeleton => atOnce(inSteps(request))
}

/** The same in steps: of many accounts, one list is read in each. */
export function createTimelineSteps(context: TimelineContext) {
  return function* (request: TimelineRequest): Generator<void, FeedSkeleton> {
    const range: FeedRange = {
      before: request.cursor === undefined ? undefined : parseFeedCursor(request.cursor),
      after: request.since === undefined ? undefined : parseFeedCursor(request.since),
    }
    const page = yield* readPage(context, request, range)
    return present(context, request, page)
  }
}

/** The same for a page that is read once: what it begins with is read here, some accounts at a time. */
export function createTimelineOnce(context: TimelineContext) {
  const inSteps = createTimelineSteps(context)
  const openHeads = createTimelineHeads(context)
  return function* (request: TimelineRequest): Generator<void, FeedSkeleton> {
    const opening = openHeads(request)
    return yield* inSteps(opening ? { ...request, heads: yield* opening } : request)
  }
}

/**
 * Reads what a page from the rows of many accounts begins with, some accounts at a time. Undefined
 * if the viewer follows few accounts, or the ring holds the page. @throws BadCursorError
 */
export function createTimelineHeads(context: TimelineContext) {
  return (request: TimelineRequest): Generator<void, TimelineHeads> | undefined => {
    const { viewer, limit, cursor, since } = request
    if (context.graph.followsCount(viewer) < MANY_FOLLOWS) return undefined
    const before = cursor === undefined ? undefined : parseFeedCursor(cursor).sortAt
    const after = since === undefined ? undefined : parseFeedCursor(since).sortAt
    const ring = readRing(context.timelines, viewer, before ?? LATEST, limit)
    if (ring && (ring.rows.length >= limit || ring.floor === -Infinity)) return undefined
    const span = { until: ring ? ring.floor - 1 : (before ?? LATEST), since: after }
    const count = firstLimit(limit + 1, before !== undefined)
    return readFirst(context, { viewer, span, limit: count })
  }
}

function* readFirst(
  context: TimelineContext,
  { viewer, span, limit }: { viewer: number; span: Span; limit: number },
): Generator<void, TimelineHeads> {
  const heads = yield* context.feed.heads(followsOf(context, viewer).uids, span.until)
  const isWanted = (item: number) => context.isDrawn(viewer, item)
  const batch = yield* context.feed.newestInSteps({ originators: heads, ...span, limit, isWanted })
  return { ...heads, first: { ...span, limit, batch } }
}

/** What was read already; undefined if it is of another span, or less than asked for. */
function readAlready(
  heads: TimelineHeads | undefined,
  { until, since }: Span,
  limit: number,
): FeedBatch | undefined {
  const first = heads?.first
  const isFit = first?.until === until && first.since === since && first.limit >= limit
  return isFit ? first.batch : undefined
}

type Page = {
  rows: readonly FeedRow[]
  /** The first row below, if it was read. */
  next: FeedRow | undefined
  hasMore: boolean
  followsLeftOut: number
}

function* readPage(
  context: TimelineContext,
  request: TimelineRequest,
  range: FeedRange,
): Generator<void, Page> {
  const { viewer, limit } = request
  const since = range.after?.sortAt
  const ring: RingRead = { own: [], floor: Infinity, followsLeftOut: 0 }
  const followed = yield* rowsInSteps({
    range,
    count: limit + 1,
    feed: context.feed,
    read: followedReader(context, request, since, ring),
  })
  const last = followed[limit]
  // A full page does not contain own items older than its last one.
  const own =
    last && ring.floor <= last.sortAt
      ? inOrder(ring.own, range, context.feed)
      : ownRows(context, viewer, { range, count: limit + 1 })
  const free = limit - Math.min(followed.length, limit)
  const ownLimit = Math.max(Math.min(limit, OWN_ITEMS_A_PAGE), free)
  const taken = own.slice(0, ownLimit)
  const mixed =
    taken.length === 0 ? followed : [...followed, ...taken].sort((a, b) => b.sortAt - a.sortAt)
  const ordered = inOrder(mixed, range, context.feed)
  const rows = ordered.slice(0, limit)
  const next = ordered[limit]
  const hasMore =
    next !== undefined ||
    (own.length > ownLimit && hasOwnBelow(context, viewer, { rows, after: range.after }))
  return { rows, next, hasMore, followsLeftOut: ring.followsLeftOut }
}

function ownRows(
  { feed }: TimelineContext,
  viewer: number,
  { range, count }: { range: FeedRange; count: number },
): readonly FeedRow[] {
  const since = range.after?.sortAt
  const read = (until: number, limit: number) =>
    feed.newest({ originators: [viewer], until, since, limit })
  return rowsInRange({ range, count, read, feed })
}

/** Whether own items follow the page: those that had no place in it may all be above its end. */
function hasOwnBelow(
  context: TimelineContext,
  viewer: number,
  { rows, after }: { rows: readonly FeedRow[]; after: FeedRange['after'] },
): boolean {
  const last = rows.at(-1)
  if (!last) return false
  const before = parseFeedCursor(cursorAfter(last, last, context.feed))
  return ownRows(context, viewer, { range: { before, after }, count: 1 }).length > 0
}

function present(context: TimelineContext, request: TimelineRequest, page: Page): FeedSkeleton {
  const { feed } = context
  const { rows, next, hasMore, followsLeftOut } = page
  const first = rows[0]
  const last = rows.at(-1)
  const startCursor = first && startCursorOf(first, feed)
  const endCursor = last && cursorAfter(last, next, feed)
  return {
    items: rows.map(({ item }) => item),
    cursor: hasMore ? endCursor : request.since,
    ...(startCursor !== undefined && { startCursor }),
    ...(endCursor !== undefined && { endCursor }),
    ...(followsLeftOut > 0 && { followsLeftOut }),
  }
}

/** The viewer's own items in the last read of the ring: complete down to `floor`. */
type RingRead = { own: FeedRow[]; floor: number; followsLeftOut: number }

/**
 * Reads the items of followed accounts at or before a time, as the `read` of `rowsInSteps`. Stores
 * the viewer's own items from the ring in `seen`.
 */
function followedReader(
  context: TimelineContext,
  { viewer, heads }: TimelineRequest,
  since: number | undefined,
  seen: RingRead,
) {
  const { feed, timelines } = context
  const isWanted = (item: number) => context.isDrawn(viewer, item)
  const followed = remember(() => {
    const { uids, leftOut } = followsOf(context, viewer)
    seen.followsLeftOut = leftOut
    return uids
  })
  const celebrities = remember(() => celebritiesOf(context, viewer))
  const fromRows = (
    originators: readonly number[] | Uint32Array | FeedHeads,
    span: Span,
    limit: number,
  ) => feed.newestInSteps({ originators, ...span, limit, isWanted })
  const followedFrom = function* (span: Span, limit: number): Generator<void, FeedBatch> {
    const { until } = span
    const known = heads && heads.until >= until ? heads : undefined
    return readAlready(known, span, limit) ?? (yield* fromRows(known ?? followed(), span, limit))
  }

  return (until: number, limit: number): FeedBatch | Generator<void, FeedBatch> => {
    const ring = readRing(timelines, viewer, until, limit)
    if (!ring) return followedFrom({ until, since }, limit)
    Object.assign(seen, { own: ring.own, floor: ring.floor })
    const floor = Math.max(ring.floor, since ?? -Infinity)
    const stars = celebrities()
    const isLast = (above: FeedBatch) =>
      above.rows.length >= limit || ring.floor !== floor || floor === -Infinity
    const above = { rows: ring.rows.filter(({ sortAt }) => sortAt >= floor), floor }
    if (stars.length === 0 && isLast(above)) return above
    return withRows(ring, above)

    /** With what the ring does not hold. */
    function* withRows(ring: FeedBatch, alone: FeedBatch): Generator<void, FeedBatch> {
      const above =
        stars.length === 0
          ? alone
          : joinBatches([ring, yield* fromRows(stars, { until, since: floor }, limit)])
      if (isLast(above)) return above
      const left = limit - above.rows.length
      const below = yield* followedFrom({ until: floor - 1, since }, left)
      return { rows: [...above.rows, ...below.rows], floor: below.floor }
    }
  }
}

/**
 * Reads the ring's items at or before a time, with the viewer's own kept separate. Omits the last
 * millisecond read, which may continue in the ring or (if truncated) below it, and all before 1970,
 * whose times a ring can't hold.
 * @returns undefined if no ring is open
 */
function readRing(
  timelines: TimelineReader,
  viewer: number,
  until: number,
  limit: number,
): (FeedBatch & Pick<RingRead, 'own' | 'floor'>) | undefined {
  for (let size = limit + 16; ; size *= 2) {
    const before = until === LATEST ? undefined : { sortAt: until + 1, rank: 0, item: 0 }
    const slice = timelines.read(viewer, before, size)
    if (!slice) return undefined
    const isEnd = slice.entries.length < size
    const lastMs = slice.entries.at(-1)?.sortAt ?? until
    const isComplete = isEnd && !slice.truncated && lastMs > 0
    const floor = isComplete ? -Infinity : lastMs + 1
    const rows: FeedRow[] = []
    const own: FeedRow[] = []
    for (const entry of slice.entries) {
      if (entry.sortAt >= floor) (entry.originator === viewer ? own : rows).push(entry)
    }
    if (isEnd || rows.length >= limit || size > MAX_RING_READ) return { rows, own, floor }
  }
}

/**
 * Accounts that the viewer follows and that are not hidden, in the graph's order, up to a limit.
 */
function followsOf({ graph, actors }: TimelineContext, viewer: number) {
  const uids: number[] = []
  let last = 0
  let walked = 0
  for (let count = scratch.length; count === scratch.length; ) {
    count = graph.follows(viewer, last, scratch)
    for (let i = 0; i < count; i++) {
      last = scratch[i]!
      if ((actors.flagsOf(last) & HIDDEN) === 0 && last !== viewer) uids.push(last)
    }
    walked += count
    if (uids.length >= MAX_MERGED_ACCOUNTS) break
  }
  return { uids: Uint32Array.from(uids), leftOut: graph.followsCount(viewer) - walked }
}

/**
 * Celebrities among the viewer's follows. Celebrities are few, so this need not walk the follows.
 */
function celebritiesOf({ graph, actors }: TimelineContext, viewer: number): number[] {
  return actors
    .celebrities()
    .filter(
      (uid) =>
        (actors.flagsOf(uid) & (CELEBRITY | HIDDEN)) === CELEBRITY &&
        uid !== viewer &&
        graph.has(viewer, uid),
    )
}

/** Used only within one call of `followsOf`. */
const scratch = new Uint32Array(FOLLOWS_PAGE)

function remember<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
