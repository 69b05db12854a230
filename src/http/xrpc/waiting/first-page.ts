// A newcomer's pages during their cold start, and which posts these have shown. Clients take a page without a cursor for
// the permanent end of the feed, so no page is the last while more may arrive; and a page waits until it is complete
// (newcomer-waits.ts). A request that finds no free wait gets a cursor.

import type { ColdStarts, Reached } from '../../../answers/skeleton/cold-starts.ts'
import { formatFeedCursor, parseFeedCursor } from '../../../answers/skeleton/page-cursor.ts'
import type { FeedSkeleton, TimelineRequest } from '../../../answers/skeleton/timeline.ts'
import { HOUR_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import { inTurns, type MaybeLater } from '../../../base/util/turn.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { NewcomerWaits } from './newcomer-waits.ts'

type FirstPage = {
  /** Whether the account's cold start is still running. */
  isNewcomer(did: string): boolean
  /**
   * For a page with a valid cursor, or none. Resolves when the page is worth reading; undefined if
   * it is already.
   * @param call - its signal ends the wait; `meanwhile` is called now and then during it
   */
  ready(
    request: PageRequest,
    call: { readonly signal: AbortSignal; meanwhile?: () => MaybeLater<void> },
  ): Promise<void> | undefined
  /**
   * Whether more items may arrive. Call it before reading the page: it lacks items that arrive
   * during the read, and a later call might take it for the last.
   */
  mayGrow(did: string): boolean
  /** The cursor of a page that would be the last, while more may arrive. */
  cursorAtEnd(request: PageRequest, endCursor: string | undefined): string
}

export type PageRequest = {
  did: string
  limit: number
  cursor: string | undefined
}

/** A PDS times out after ten seconds, of which a busy machine may need some. */
export const FIRST_PAGE_MAX_WAIT_MS = 6_500
/** How long a full page waits although newer items may still arrive between its items. */
const FULL_PAGE_PATIENCE_MS = 4_000
/** The span of the cold start's `newest` milestone: everything within it is read first. */
const NEWEST_MS = 36 * HOUR_MS

export function createFirstPage(parts: {
  coldStarts: ColdStarts
  actors: Pick<ActorReader, 'uidOf'>
  timeline: (request: TimelineRequest) => Generator<void, FeedSkeleton>
  waits: NewcomerWaits
  /** 0: there are no cold starts here. */
  maxWaitMs: number
  now?: () => number
}): FirstPage {
  const { coldStarts, actors, maxWaitMs, waits, now = Date.now } = parts

  const reachedBy = (did: string): Reached =>
    maxWaitMs === 0 ? 'everything' : coldStarts.reached(actors.uidOf(did))

  function* isWorthReading(request: PageRequest, waitedMs: number): Generator<void, boolean> {
    const { did, limit, cursor } = request
    const reached = reachedBy(did)
    if (areAllHere(reached)) return true
    const isSettled = cursor !== undefined || waitedMs >= FULL_PAGE_PATIENCE_MS
    if (reached === 'nothing' && !isSettled) return false
    const viewer = actors.uidOf(did)
    const page = yield* parts.timeline({ viewer, limit, cursor, since: undefined })
    if (reached === 'feeds') return page.items.length > 0
    const isFull = page.items.length >= limit
    return isFull && (isSettled || endsAfter(page, knownSince(reached, viewer)))
  }

  /** The time after which the cold start adds no more items to the page. */
  function knownSince(reached: Reached, viewer: number): number {
    const since = coldStarts.knownSince(viewer) ?? Number.POSITIVE_INFINITY
    return reached === 'newest' ? Math.min(since, now() - NEWEST_MS) : since
  }

  return {
    isNewcomer: (did) => reachedBy(did) !== 'everything',
    ready(request, { signal, meanwhile }) {
      const { did } = request
      const state = () => `posts ${reachedBy(did)}`
      const isPutOff = (times: { now: number; until: number }) =>
        coldStarts.isPutOff(actors.uidOf(did), times)
      const requested = { did, state, isPutOff, maxWaitMs, signal, meanwhile }
      return waits.until((waitedMs) => inTurns(isWorthReading(request, waitedMs)), requested)
    },
    mayGrow: (did) => !areAllHere(reachedBy(did)),
    // The cold start adds only items older than now.
    cursorAtEnd: (request, endCursor) =>
      endCursor ?? request.cursor ?? formatFeedCursor(now(), undefined),
  }
}

function areAllHere(reached: Reached): boolean {
  return reached === 'posts' || reached === 'everything'
}

function endsAfter({ endCursor }: FeedSkeleton, time: number): boolean {
  return endCursor !== undefined && parseFeedCursor(endCursor).sortAt >= time
}

// What newcomers were shown of a timeline that was still filling. A post that arrives above a page which a client
// has read is on none of its pages, so Discover, which clients show below the end, has such posts first
// (feeds/discover-feed.ts). Each serving thread knows what it answered itself; a client recognises repetitions.

type PresentedWhileFilling = {
  /**
   * What `itemsOf` returns is on a page of the viewer's; `isFilling`: more may arrive above it. Not
   * asked of pages of a timeline that was never seen filling, which are nearly all.
   */
  note(viewer: number, isFilling: boolean, itemsOf: () => readonly number[]): void
  /** Undefined for a viewer whose pages were all complete. */
  to(viewer: number): ReadonlySet<number> | undefined
}

const MAX_VIEWERS = 300
/** More than a person reads while their timeline fills; whoever reads on gets Discover as others do. */
const MAX_ITEMS = 2_000

export function createPresentedWhileFilling(): PresentedWhileFilling {
  const visible = new LruMap<number, Set<number>>(MAX_VIEWERS)

  return {
    note(viewer, isFilling, itemsOf) {
      const before = visible.get(viewer)
      if (!before && !isFilling) return
      const items = itemsOf()
      const all = before ?? new Set<number>()
      if (all.size + items.length > MAX_ITEMS) return visible.delete(viewer)
      for (const item of items) all.add(item)
      if (!before) visible.set(viewer, all)
    },
    to: (viewer) => visible.get(viewer),
  }
}
