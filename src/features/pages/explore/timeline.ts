// A page of an account's timeline as it would be served, together with all items that followed accounts made
// in the same span of time, each with why it is served or not.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import { parseFeedCursor } from '../../../answers/skeleton/page-cursor.ts'
import { createTimelineHeads, createTimelineSkeleton } from '../../../answers/skeleton/timeline.ts'
import { feedViewPost } from '../../../answers/views/posts/feed-view-post.ts'
import { inParts } from '../../../base/util/turn.ts'
import {
  createMergedFeed,
  type FeedHeads,
  type MergedFeed,
} from '../../../data/store/timelines/merged-feed.ts'
import { type ExploreContext, followedOf, type Subject } from './context.ts'
import { originOf, showItem, type VisibleItem } from './read-item.ts'
import { verdictOn } from './verdict.ts'

type TimelineView = {
  /** Newest first. */
  items: (VisibleItem & { isServed: boolean })[]
  cursor: string | undefined
}

const PAGE = 30
/** A lossy timeline drops far more than it takes. */
const MAX_CANDIDATES = 150
const RING_READ = 2_000

/**
 * @returns a function that reads one page, some accounts at a time (base/util/turn.ts), and throws
 * BadCursorError
 */
export function createTimelineView(context: ExploreContext) {
  const feed = createMergedFeed(context.db)
  const skeleton = createTimelineSkeleton({ ...context, feed })
  const openHeads = createTimelineHeads({ ...context, feed })

  return function* (
    owner: Subject,
    { reader, cursor }: { reader: Reader; cursor: string | undefined },
  ): Generator<void, TimelineView> {
    const request = { viewer: owner.uid, limit: PAGE, cursor, since: undefined }
    const opening = openHeads(request)
    const page = skeleton({ ...request, heads: opening && (yield* opening) })
    const until = cursor === undefined ? Number.MAX_SAFE_INTEGER : parseFeedCursor(cursor).sortAt
    const since = page.cursor === undefined ? undefined : parseFeedCursor(page.cursor).sortAt
    const listed = new Set(page.items)
    const originators = [owner.uid, ...followedOf(context, owner.uid)]
    const heads = yield* feed.heads(originators, until)
    const items = [...new Set([...listed, ...candidates(feed, heads, { until, since })])]
    const ring = ringItems(context, owner.uid, until)
    yield
    const visible = yield* inParts(items, (some) =>
      shownItems(context, some, { owner: owner.uid, reader, ring, listed }),
    )
    return { items: [...visible].sort((a, b) => b.sortAt - a.sortAt), cursor: page.cursor }
  }
}

type Among = {
  owner: number
  reader: Reader
  ring: ReadonlySet<number>
  /** Items of the served page. */
  listed: ReadonlySet<number>
}

function shownItems(
  context: ExploreContext,
  items: readonly number[],
  { owner, reader, ring, listed }: Among,
): TimelineView['items'] {
  const state = context.hydrator.feed(items, reader)
  const origins = items.map((item) => originOf(state, item))
  return origins
    .filter(({ originator }) => originator !== 0)
    .map((origin) => {
      const verdict = verdictOn(context, owner, origin, { state, ring })
      const isFit = verdict.against.length === 0 && feedViewPost(state, origin.item) !== undefined
      const isServed = listed.has(origin.item) && isFit
      if (!isServed && isFit) verdict.notes.push('it is on another page')
      return { ...showItem(context, state, origin, verdict), isServed }
    })
}

/** All items by followed accounts in a span of time, whether or not the draw keeps them. */
function candidates(
  feed: MergedFeed,
  originators: FeedHeads,
  span: { until: number; since: number | undefined },
): number[] {
  const { rows } = feed.newest({ originators, ...span, limit: MAX_CANDIDATES })
  return rows.slice(0, MAX_CANDIDATES).map(({ item }) => item)
}

function ringItems(
  { timelines }: ExploreContext,
  owner: number,
  until: number,
): ReadonlySet<number> {
  const before =
    until === Number.MAX_SAFE_INTEGER ? undefined : { sortAt: until + 1, rank: 0, item: 0 }
  const entries = timelines.read(owner, before, RING_READ)?.entries ?? []
  return new Set(entries.map(({ item }) => item))
}
