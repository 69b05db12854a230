// The ids of a list feed page: posts by the members of a list, including replies but not reposts, as in the
// reference's data plane, except by members who opted out of a reference list. Merged from the accounts' own
// rows, like a timeline below its ring. A list is opened once per request, some members at a time.

import { type ActorReader, HIDDEN } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { prepareListOptOuts } from '../../data/store/read/lists/list-opt-outs.ts'
import { prepareListPages } from '../../data/store/read/lists/list-pages.ts'
import type { FeedHeads, MergedFeed } from '../../data/store/timelines/merged-feed.ts'
import { cursorAfter, LATEST, rowsInSteps, startCursorOf } from './feed-page.ts'
import { parseFeedCursor } from './page-cursor.ts'
import type { PageRange } from './skeleton-page.ts'
import type { FeedSkeleton } from './timeline.ts'

type ListFeed = {
  /** Reads the newest posts of all members at or before a cursor. @throws BadCursorError */
  open(list: number, cursor: string | undefined): Generator<void, FeedHeads>
  /**
   * Reads one page at or below the cursor that the list was opened at, and above `since`, as a home
   * timeline does (timeline.ts), one list a step. @throws BadCursorError
   */
  page(
    heads: FeedHeads,
    range: PageRange & { since?: string | undefined },
  ): Generator<void, FeedSkeleton>
}

/** Opening a list costs some microseconds a member. */
const MAX_MEMBERS = 100_000
const MEMBERS_AT_ONCE = 2_000

export function createListFeedSkeleton(parts: {
  db: Db
  actors: ActorReader
  feed: MergedFeed
}): ListFeed {
  const { actors, feed } = parts
  const reader = prepareListPages(parts.db)
  const optOuts = prepareListOptOuts(parts.db, actors)

  function* visibleMembers(list: number): Generator<void, number[]> {
    const visible: number[] = []
    let read = 0
    for (let below = 0; read < MAX_MEMBERS; ) {
      const some = reader.someMembers(list, { above: below, limit: MEMBERS_AT_ONCE })
      const scope = optOuts.scopeOf(list)
      const out = scope && optOuts.among(scope, some)
      visible.push(...some.filter((uid) => (actors.flagsOf(uid) & HIDDEN) === 0 && !out?.has(uid)))
      if (some.length < MEMBERS_AT_ONCE) break
      read += some.length
      below = some.at(-1)!
      yield
    }
    return visible
  }

  return {
    *open(list, cursor) {
      const until = cursor === undefined ? LATEST : parseFeedCursor(cursor).sortAt
      return yield* feed.heads(yield* visibleMembers(list), until)
    },
    *page(heads, { limit, cursor, since }) {
      const before = cursor === undefined ? undefined : parseFeedCursor(cursor)
      const after = since === undefined ? undefined : parseFeedCursor(since)
      const found = yield* rowsInSteps({
        range: { before, after },
        count: limit + 1,
        read: (until, count) =>
          feed.newestInSteps({
            originators: heads,
            until,
            since: after?.sortAt,
            limit: count,
            postsOnly: true,
          }),
        feed,
      })
      const rows = found.slice(0, limit)
      const [first, last, next] = [rows[0], rows.at(-1), found[limit]]
      return {
        items: rows.map(({ item }) => item),
        cursor: last && next ? cursorAfter(last, next, feed) : since,
        startCursor: first && startCursorOf(first, feed),
      }
    },
  }
}
