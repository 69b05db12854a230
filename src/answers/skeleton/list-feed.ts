// The ids of a list feed page: posts by the members of a list, including replies but not reposts, as in the
// reference's data plane, except by members who opted out of a reference list. Merged from the accounts' own
// rows, like a timeline below its ring.

import { type ActorReader, HIDDEN } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import type { MergedFeed } from '../../data/store/merged-feed.ts'
import { prepareListOptOuts } from '../../data/store/read/list-opt-outs.ts'
import { prepareListPages } from '../../data/store/read/list-pages.ts'
import { cutPage, rowsInRange } from './feed-page.ts'
import { formatFeedCursor, parseFeedCursor } from './page-cursor.ts'
import type { FeedSkeleton } from './timeline.ts'

type ListFeedRequest = { list: number; limit: number; cursor: string | undefined }

/** Reading a page costs about a microsecond per account; this caps it at a tenth of a second. */
const MAX_MEMBERS = 100_000

/** @returns a function that reads one page; @throws BadCursorError */
export function createListFeedSkeleton(parts: { db: Db; actors: ActorReader; feed: MergedFeed }) {
  const { actors, feed } = parts
  const reader = prepareListPages(parts.db)
  const optOuts = prepareListOptOuts(parts.db, actors)
  return ({ list, limit, cursor }: ListFeedRequest): FeedSkeleton => {
    const before = cursor === undefined ? undefined : parseFeedCursor(cursor)
    const members = reader.allMembers(list, MAX_MEMBERS)
    const scope = optOuts.scopeOf(list)
    const out = scope && optOuts.among(scope, members)
    const originators = members.filter(
      (uid) => (actors.flagsOf(uid) & HIDDEN) === 0 && !out?.has(uid),
    )
    const found = rowsInRange({
      range: { before, after: undefined },
      count: limit + 1,
      read: (until, count) => feed.newest({ originators, until, limit: count, postsOnly: true }),
      feed,
    })
    const { rows, isLast, ...how } = cutPage(found, limit, feed)
    const last = rows.at(-1)
    const cid = last && feed.cidsOf([last.item]).get(last.item)
    return {
      items: rows.map(({ item }) => item),
      cursor: last && !isLast ? formatFeedCursor(last.sortAt, cid) : undefined,
      ...how,
    }
  }
}
