// A newcomer's pages, while their cold start goes on. Clients take a page without a cursor for the end of the
// feed, for good, so no page is the last as long as more may come; and a page waits for what makes it whole
// (newcomer-waits.ts). Who finds no room to wait has a cursor.

import type { ColdStarts, Reached } from '../../answers/skeleton/cold-starts.ts'
import { formatFeedCursor, parseFeedCursor } from '../../answers/skeleton/page-cursor.ts'
import type { FeedSkeleton, TimelineRequest } from '../../answers/skeleton/timeline.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { NewcomerWaits } from './newcomer-waits.ts'

type FirstPage = {
  /** Whose cold start is not over. */
  isNewcomer(did: string): boolean
  /**
   * Of a page with a good cursor, or none.
   * Resolves when the page is worth reading, undefined where it is at once.
   * @param call - its signal ends the wait
   */
  ready(request: PageRequest, call: { readonly signal: AbortSignal }): Promise<void> | undefined
  /**
   * Whether more may come than there is now. Asked before a page is read: what comes while it is read is not on
   * it, and whoever asked afterwards would take it for the last.
   */
  mayGrow(did: string): boolean
  /** Of a page that would be the last, while more may come. */
  cursorAtEnd(request: PageRequest, endCursor: string | undefined): string
}

export type PageRequest = {
  did: string
  limit: number
  cursor: string | undefined
}

/** A PDS gives up after ten seconds without an answer, some of which a busy machine may take. */
export const FIRST_PAGE_MAX_WAIT_MS = 6_500
/** A full page waits for no longer, although newer items may come between. */
const FULL_PAGE_PATIENCE_MS = 4_000
/** What the cold start calls newest: of as many hours everything is read first. */
const NEWEST_MS = 36 * HOUR_MS

export function createFirstPage(parts: {
  coldStarts: ColdStarts
  actors: Pick<ActorReader, 'uidOf'>
  timeline: (request: TimelineRequest) => FeedSkeleton
  waits: NewcomerWaits
  /** 0: nobody has a cold start here. */
  maxWaitMs: number
  now?: () => number
}): FirstPage {
  const { coldStarts, actors, maxWaitMs, waits, now = Date.now } = parts

  const reachedBy = (did: string): Reached =>
    maxWaitMs === 0 ? 'everything' : coldStarts.reached(actors.uidOf(did))

  function isWorthReading(request: PageRequest, waitedMs: number): boolean {
    const { did, limit, cursor } = request
    const reached = reachedBy(did)
    if (areAllHere(reached)) return true
    const isSettled = cursor !== undefined || waitedMs >= FULL_PAGE_PATIENCE_MS
    if (reached === 'nothing' && !isSettled) return false
    const viewer = actors.uidOf(did)
    const page = parts.timeline({ viewer, limit, cursor, since: undefined })
    if (reached === 'feeds') return page.items.length > 0
    const isFull = page.items.length >= limit
    return isFull && (isSettled || endsAfter(page, knownSince(reached, viewer)))
  }

  /** Nothing newer that the cold start still brings belongs on the page. */
  function knownSince(reached: Reached, viewer: number): number {
    const since = coldStarts.knownSince(viewer) ?? Number.POSITIVE_INFINITY
    return reached === 'newest' ? Math.min(since, now() - NEWEST_MS) : since
  }

  return {
    isNewcomer: (did) => reachedBy(did) !== 'everything',
    ready(request, { signal }) {
      const { did } = request
      const state = () => `posts ${reachedBy(did)}`
      const isPutOff = (times: { now: number; until: number }) =>
        coldStarts.isPutOff(actors.uidOf(did), times)
      const asked = { did, state, isPutOff, maxWaitMs, signal }
      return waits.until((waitedMs) => isWorthReading(request, waitedMs), asked)
    },
    mayGrow: (did) => !areAllHere(reachedBy(did)),
    // What the cold start brings is older than now.
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
