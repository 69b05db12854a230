// Timelines and feeds: the skeletons behind XRPC's pages, as at-URIs. The frontend filters accounts out of a
// page by the relationships that it requests next.

import { createAuthorFeedSkeleton } from '../../../answers/skeleton/author-feed.ts'
import { createListFeedSkeleton } from '../../../answers/skeleton/list-feed.ts'
import { isRetiredCursor } from '../../../answers/skeleton/page-cursor.ts'
import {
  createTimelineHeads,
  createTimelineSteps,
  type TimelineHeads,
} from '../../../answers/skeleton/timeline.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import { andThen, inTurns } from '../../../base/util/turn.ts'
import { createMergedFeed } from '../../../data/store/timelines/merged-feed.ts'
import { FeedType } from '../generated/bsky-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { cursorOf, pageSize, type Rpcs } from '../wire/messages.ts'

const FILTERS = new Map<FeedType, string>([
  [FeedType.POSTS_AND_AUTHOR_THREADS, 'posts_and_author_threads'],
  [FeedType.POSTS_NO_REPLIES, 'posts_no_replies'],
  [FeedType.POSTS_WITH_MEDIA, 'posts_with_media'],
  [FeedType.POSTS_WITH_VIDEO, 'posts_with_video'],
])
const ALL = 'posts_with_replies'

export function feedRpcs(reading: Reading): Rpcs {
  const { db, actors, lists, onViewer } = reading
  const feed = createMergedFeed(db, reading.memory.heads)
  const timeline = createTimelineSteps({ ...reading, feed })
  const timelineHeads = createTimelineHeads({ ...reading, feed })
  const authorFeed = createAuthorFeedSkeleton(db)
  const listFeed = createListFeedSkeleton({ db, actors, feed })
  return {
    getTimeline({ actorDid, limit, cursor }) {
      if (isRetiredCursor(cursor)) return {}
      onViewer(actorDid)
      const request = {
        viewer: actors.uidOf(actorDid),
        limit: pageSize(limit),
        cursor: cursorOf(cursor),
        since: undefined,
      }
      const answer = (heads: TimelineHeads | undefined) =>
        andThen(inTurns(timeline({ ...request, heads })), ({ items, cursor: next }) => ({
          items: reading.feedItems(items),
          cursor: next,
        }))
      const opening = timelineHeads(request)
      return opening ? andThen(inTurns(opening), answer) : answer(undefined)
    },

    getAuthorFeed({ actorDid, limit, cursor, feedType }) {
      const author = actors.uidOf(actorDid)
      if (author === 0 || isRetiredCursor(cursor)) return {}
      const filter = FILTERS.get(feedType) ?? ALL
      const request = { author, filter, limit: pageSize(limit), cursor: cursorOf(cursor) }
      const page = authorFeed(request)
      return { items: reading.feedItems(page.items), cursor: page.cursor }
    },

    getListFeed({ listUri, limit, cursor }) {
      const key = parseRecordUri(listUri)
      const uid = key ? actors.uidOf(key.did) : 0
      const list = uid === 0 ? 0 : lists.idOf(uid, packRkey(key!.rkey))
      if (list === 0 || isRetiredCursor(cursor)) return {}
      const range = { limit: pageSize(limit), cursor: cursorOf(cursor) }
      const heads = inTurns(listFeed.open(list, range.cursor))
      const page = andThen(heads, (opened) => inTurns(listFeed.page(opened, range)))
      return andThen(page, ({ items, cursor: next }) => ({
        items: reading.feedItems(items),
        cursor: next,
      }))
    },
  }
}
