// Pages of the recorded watch times of an author's videos, latest day first. The cursor is `<day>__<rkey>`:
// the last row's day since 1970 and its post.

import { isValidRecordKey } from '@atproto/syntax'
import { BadCursorError, parseTimed } from '../../../answers/skeleton/page-cursor.ts'
import type { PageRange, SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { packRkey, unpackRkey } from '../../../base/atproto/keys.ts'
import type { Db } from '../../../data/store/db.ts'
import {
  type VideoWatchPosition,
  type VideoWatchRow,
  videoWatchesBelow,
  videoWatchesOf,
} from '../store/video-watches.ts'

/** `rkey`: of one post; undefined for all of the author's. */
type VideoStatsRequest = PageRange & { author: number; rkey: string | undefined }

/** @throws BadCursorError */
export function videoStats(
  db: Db,
  { author: uid, rkey, limit, cursor }: VideoStatsRequest,
): SkeletonPage<VideoWatchRow> {
  const position = positionOf(cursor)
  const found =
    rkey === undefined
      ? videoWatchesBelow(db, { uid, limit: limit + 1, ...position })
      : videoWatchesOf(db, { uid, limit: limit + 1, ...position, rkey: packRkey(rkey) })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const hasMore = found.length > limit && last !== undefined
  return { items, cursor: hasMore ? `${last.day}__${unpackRkey(last.rkey)}` : undefined }
}

function positionOf(cursor: string | undefined): VideoWatchPosition {
  if (cursor === undefined) return { day: Number.MAX_SAFE_INTEGER, rkey: '' }
  const [day, rkey] = parseTimed(cursor)
  if (!isValidRecordKey(rkey)) throw new BadCursorError()
  return { day, rkey: packRkey(rkey) }
}
