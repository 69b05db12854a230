// app.bsky.feed.getTimeline: the home timeline, newest first. As in the reference, leaves out posts and reply
// ancestors by accounts that the viewer blocks or mutes; reply rules, thread deduplication and muted words
// are left to the client. `algorithm` is ignored. `since` and `startCursor`: see
// answers/skeleton/timeline.ts.

import type { AppBskyFeedGetTimeline } from '@atproto/api'
import type { Reader } from '../../../../../answers/hydrate/reader.ts'
import { isBadFeedCursor, isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import type { FeedSkeleton, TimelineHeads } from '../../../../../answers/skeleton/timeline.ts'
import {
  andThen,
  inParts,
  inTurn,
  inTurns,
  type MaybeLater,
} from '../../../../../base/util/turn.ts'
import type { SignedInCall } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { type Page, type PagePart, pagedMethod } from '../../../paging/paged-method.ts'
import { feedItems, notBlockedOrMuted } from '../../../paging/present.ts'
import type { PageRequest } from '../../../waiting/first-page.ts'

type Params = AppBskyFeedGetTimeline.QueryParams & { limit: number; since?: string }
type TimelineCall = SignedInCall<Params>
type About = {
  /** Whether more items may arrive, as of before the page was read. */
  isGrowing: boolean
  /** The viewer's cold start is over, as of before the page was read. */
  isComplete: boolean
  /** What the rows of the accounts that the viewer follows begin with, where there are many. */
  heads: TimelineHeads | undefined
}
type TimelinePage = Page<TimelineCall, About, FeedSkeleton>

const present = feedItems({ filter: notBlockedOrMuted })

export const getTimeline = pagedMethod(
  'app.bsky.feed.getTimeline',
  { auth: 'required', readAfterWrite: true, ready },
  {
    about,
    skeleton: timelineSkeleton,
    postpone: withoutFetched,
    mayGoOn: ({ isGrowing }) => isGrowing,
    mayBeCached: ({ isComplete }) => isComplete,
    present,
    end: ({ params }: TimelineCall) => params.since,
    body: (feed, page) => {
      notePresented(page.app, page)
      return {
        feed,
        cursor: page.cursor ?? cursorAtEnd(page.app, { ...page, visible: feed.length }),
        startCursor: page.reads.find(({ startCursor }) => startCursor !== undefined)?.startCursor,
        followsLeftOut: page.reads.find(({ followsLeftOut }) => followsLeftOut)?.followsLeftOut,
      }
    },
  },
)

function ready(app: Dependencies, call: TimelineCall): Promise<void> | undefined {
  app.homes?.requested(call.viewer)
  return complete(app, call)
}

function about(
  { firstPage, timelineHeads }: Needs<'firstPage' | 'timelineHeads'>,
  { viewer, params }: TimelineCall,
): MaybeLater<About> {
  const isComplete = !firstPage.isNewcomer(viewer.did)
  const isGrowing = !isComplete && firstPage.mayGrow(viewer.did)
  const { limit, cursor, since } = params
  const opening = isRetiredCursor(cursor)
    ? undefined
    : timelineHeads({ viewer: viewer.uid, limit, cursor, since })
  if (!opening) return { isGrowing, isComplete, heads: undefined }
  return andThen(inTurns(opening), (heads) => ({ isGrowing, isComplete, heads }))
}

function timelineSkeleton(
  { timelineSteps }: Needs<'timelineSteps'>,
  { call, range, about: { heads } }: PagePart<TimelineCall, About>,
): Generator<void, FeedSkeleton> {
  return timelineSteps({ viewer: call.viewer.uid, since: call.params.since, heads, ...range })
}

/** Makes a newcomer wait until the page's items and the data to show them have arrived. */
function complete(app: Dependencies, call: TimelineCall): Promise<void> | undefined {
  const { cursor } = call.params
  if (cursor !== undefined && isBadFeedCursor(cursor)) return undefined
  return app.firstPage.isNewcomer(call.viewer.did) ? wait(app, call) : undefined
}

type Dependencies = Needs<'firstPage' | 'homes' | 'timeline' | 'viewCache' | 'completeItems'>

async function wait(app: Dependencies, before: TimelineCall): Promise<void> {
  const read = ({ viewer, params: { limit, cursor } }: TimelineCall) =>
    app.timeline({ viewer: viewer.uid, limit, cursor, since: undefined })
  const make = (items: readonly number[], trial: Reader) =>
    present(app, items, { call: { reader: trial } })
  const pageOf = (call: TimelineCall) =>
    function* (trial: Reader) {
      const { items } = yield* read(call)
      yield* inParts(items, (some) => make(some, trial))
    }
  // What the items found so far lack can be fetched while the others are.
  const meanwhile = () => {
    const call = before.again()
    return app.completeItems.ask(pageOf(call), call)
  }
  const { signal } = before
  await app.firstPage.ready(pageRequest(before), { signal, meanwhile })
  // An account that was unknown at first may have a uid by now.
  const call = before.again()
  const { reader, time } = call
  function* shareOf(): Generator<void, number> {
    const { items } = yield* read(call)
    if (items.length === 0) return 1
    const complete = yield* app.completeItems.among(items, reader, make)
    return complete.length / items.length
  }
  const shareComplete = () => inTurn(call, () => inTurns(shareOf()))
  let share = await shareComplete()
  // Newer items, which need other data, may have arrived meanwhile.
  for (let round = 0; round < MAX_ROUNDS && (round === 0 || share < ENOUGH); round++) {
    // If nothing could be shown, waits again even for things already waited for.
    const isShared = round > 0 || share === 0
    const options = { reader, time, signal, patienceMs: PATIENCE_MS, isShared }
    if (!(await app.completeItems.awaited(pageOf(call), options))) return
    share = await shareComplete()
  }
}

/** The share of its items that a page must show; the others go to the next page. */
const ENOUGH = 0.8
/** Enough for a page's data to arrive, unless a server is slow or silent. */
const PATIENCE_MS = 1_500
/** Together as long as a request may wait. */
const MAX_ROUNDS = 6

function pageRequest({ viewer, params }: TimelineCall): PageRequest {
  return { did: viewer.did, limit: params.limit, cursor: params.cursor }
}

/** Moves items of a newcomer's page whose data is still being fetched to the next page. */
function* withoutFetched(
  app: Dependencies,
  items: readonly number[],
  { call }: TimelinePage,
): Generator<void, readonly number[]> {
  if (!app.firstPage.isNewcomer(call.viewer.did)) return items
  return yield* app.completeItems.among(items, call.reader, (some, reader) =>
    present(app, some, { call: { reader } }),
  )
}

/** A page of one is a look whether there is something new. */
function notePresented(
  { presentedWhileFilling }: Needs<'presentedWhileFilling'>,
  { call, about: { isGrowing }, reads, postponed }: TimelinePage,
): void {
  if (call.params.limit === 1) return
  presentedWhileFilling.note(call.viewer.uid, isGrowing || postponed.size > 0, () =>
    reads.flatMap(({ items }) => items.filter((item) => !postponed.has(item))),
  )
}

/**
 * A client that sees the end stops asking, so a growing timeline gets a cursor. After an empty
 * page, the cursor repeats the same stretch.
 */
function cursorAtEnd(
  { firstPage }: Dependencies,
  { call, about: { isGrowing }, reads, visible }: TimelinePage & { visible: number },
): string | undefined {
  if (reads.length === 0 || !isGrowing) return undefined
  const last = reads.findLast(({ endCursor }) => endCursor !== undefined)
  const end = visible === 0 ? undefined : last?.endCursor
  return firstPage.cursorAtEnd(pageRequest(call), end)
}
