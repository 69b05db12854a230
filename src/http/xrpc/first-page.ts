// A newcomer's pages, while their cold start goes on. Clients take a page without a cursor for the end of the
// feed, for good, so no page is the last as long as more may come; and a page waits for what makes it whole,
// for less than a PDS waits for us, and for little where a wait was in vain and nothing has moved since. The
// wait is before the handler and outside the queue (dispatch.ts): it holds nobody's place there, and looks
// seldom where many wait. Who finds no room to wait has a cursor.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ColdStarts, Reached } from '../../answers/skeleton/cold-starts.ts'
import { formatFeedCursor, parseFeedCursor } from '../../answers/skeleton/page-cursor.ts'
import type { FeedSkeleton, TimelineRequest } from '../../answers/skeleton/timeline.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { patienceLeftMs } from './patience.ts'

export type FirstPage = {
  /** Whose cold start is not over. */
  isNewcomer(did: string): boolean
  /**
   * Of a page with a good cursor, or none.
   * Resolves when the page is worth reading, undefined where it is at once.
   * @param call - its signal ends the wait
   */
  ready(request: PageRequest, call: { readonly signal: AbortSignal }): Promise<void> | undefined
  /** A cursor for a page that would be the last, while more may come; undefined where it is the last. */
  cursorAtEnd(request: PageRequest, endCursor: string | undefined): string | undefined
}

export type PageRequest = {
  did: string
  limit: number
  cursor: string | undefined
}

/** A PDS gives up after ten seconds without an answer. */
export const FIRST_PAGE_PATIENCE_MS = 7_500
/** Where a whole wait brought nothing, and the cold start is where it was: their own server may be away. */
const AFTER_VAIN_WAIT_MS = 500
const MAX_REMEMBERED = 10_000
const LOOK_EVERY_MS = 100
/** Looks a second, of all who wait together, are about a thousand at most. */
const LOOK_LATER_MS = 1
const MAX_WAITING = 1_000
const MAX_WAITING_EACH = 4
/** What the cold start calls newest: of as many hours everything is read first. */
const NEWEST_MS = 36 * 3_600_000

export function createFirstPage(parts: {
  coldStarts: ColdStarts
  actors: Pick<ActorReader, 'uidOf'>
  timeline: (request: TimelineRequest) => FeedSkeleton
  /** 0: nobody has a cold start here. */
  patienceMs: number
  now?: () => number
}): FirstPage {
  const { coldStarts, actors, patienceMs, now = Date.now } = parts
  const waiting = new Map<string, number>()
  /** How far the cold start was when a wait ended in vain. */
  const vain = new LruMap<string, Reached>(MAX_REMEMBERED)
  let waitingInAll = 0

  const reachedBy = (did: string) =>
    patienceMs === 0 ? 'everything' : coldStarts.reached(actors.uidOf(did))

  function isWorthReading(request: PageRequest): boolean {
    const { did, limit, cursor } = request
    const reached = reachedBy(did)
    if (areAllHere(reached)) return true
    if (reached === 'nothing' && cursor === undefined) return false
    const viewer = actors.uidOf(did)
    const page = parts.timeline({ viewer, limit, cursor, since: undefined })
    const isFull = page.items.length >= limit
    if (reached === 'feeds') return page.items.length > 0
    return isFull && (cursor !== undefined || isOfNewest(page, now()))
  }

  async function wait(request: PageRequest, signal: AbortSignal): Promise<void> {
    const isVain = vain.get(request.did) === reachedBy(request.did)
    const longestMs = isVain ? Math.min(AFTER_VAIN_WAIT_MS, patienceMs) : patienceMs
    const giveUpAt = now() + patienceLeftMs(signal, longestMs, now())
    while (now() < giveUpAt && !signal.aborted) {
      await sleep(LOOK_EVERY_MS + waitingInAll * LOOK_LATER_MS)
      if (isWorthReading(request)) return
    }
    if (!signal.aborted) vain.set(request.did, reachedBy(request.did))
  }

  function count(did: string, by: 1 | -1): void {
    waitingInAll += by
    const each = (waiting.get(did) ?? 0) + by
    if (each === 0) waiting.delete(did)
    else waiting.set(did, each)
  }

  return {
    isNewcomer: (did) => reachedBy(did) !== 'everything',
    ready(request, call) {
      const { did } = request
      if (isWorthReading(request)) return undefined
      if (waitingInAll >= MAX_WAITING || (waiting.get(did) ?? 0) >= MAX_WAITING_EACH)
        return undefined
      count(did, 1)
      return wait(request, call.signal).finally(() => count(did, -1))
    },
    cursorAtEnd(request, endCursor) {
      if (areAllHere(reachedBy(request.did))) return undefined
      // What the cold start brings is older than now.
      return endCursor ?? request.cursor ?? formatFeedCursor(now(), undefined)
    },
  }
}

function areAllHere(reached: Reached): boolean {
  return reached === 'posts' || reached === 'everything'
}

/** Nothing that the cold start still brings belongs between or above these items. */
function isOfNewest({ endCursor }: FeedSkeleton, now: number): boolean {
  return endCursor !== undefined && parseFeedCursor(endCursor).sortAt >= now - NEWEST_MS
}
