// Pages of a member's bookmarks, latest first. The cursor is `<ms>__<id>`: the time and post row of the last
// bookmark, so that a page does not depend on bookmarks added above it.

import type { Db } from '../../data/store/db.ts'
import {
  bookmarksBefore,
  countBookmarks,
  type PositionedBookmark,
} from '../../data/store/private/bookmarks.ts'
import { parsePosition } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type BookmarkRequest = { viewer: number; limit: number; cursor: string | undefined }

export function createBookmarkPages(db: Db) {
  return {
    count: (viewer: number): number => countBookmarks(db, viewer),
    /** @throws BadCursorError */
    page({ viewer, limit, cursor }: BookmarkRequest): SkeletonPage<PositionedBookmark> {
      const found = bookmarksBefore(db, viewer, { ...parseCursor(cursor), limit: limit + 1 })
      const bookmarks = found.slice(0, limit)
      const last = bookmarks.at(-1)
      const hasMore = found.length > limit && last !== undefined
      return { items: bookmarks, cursor: hasMore ? `${last.createdAt}__${last.post}` : undefined }
    },
  }
}

function parseCursor(cursor: string | undefined): { createdAt: number; post: number } {
  if (cursor === undefined) return { createdAt: Number.MAX_SAFE_INTEGER, post: 0 }
  const read = (rest: string) => (/^[1-9]\d{0,14}$/.test(rest) ? Number(rest) : undefined)
  const [createdAt, post] = parsePosition(cursor, { read, lowest: 0 })
  return { createdAt, post }
}
