// Pages of a member's drafts, last changed first. The cursor is `<ms>__<id>`: the last draft's time of change
// and its id.

import { isValidTid } from '@atproto/syntax'
import type { Db } from '../../data/store/db.ts'
import {
  countDrafts,
  type Draft,
  type DraftPosition,
  draftBytes,
  draftsBelow,
} from '../../data/store/private/drafts.ts'
import { parsePosition } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type DraftRequest = { viewer: number; limit: number; cursor: string | undefined }

export function createDraftPages(db: Db) {
  return {
    count: (viewer: number): number => countDrafts(db, viewer),
    /** Bytes of all drafts but `butId`. */
    bytes: (viewer: number, butId?: string): number => draftBytes(db, viewer, butId),
    /** @throws BadCursorError */
    page({ viewer, limit, cursor }: DraftRequest): SkeletonPage<Omit<Draft, 'uid'>> {
      const found = draftsBelow(db, { uid: viewer, limit: limit + 1, ...parseCursor(cursor) })
      const drafts = found.slice(0, limit)
      const last = drafts.at(-1)
      const hasMore = found.length > limit && last !== undefined
      return { items: drafts, cursor: hasMore ? `${last.updatedAt}__${last.id}` : undefined }
    },
  }
}

function parseCursor(cursor: string | undefined): DraftPosition {
  if (cursor === undefined) return { updatedAt: Number.MAX_SAFE_INTEGER, id: '' }
  const read = (rest: string) => (isValidTid(rest) ? rest : undefined)
  const [updatedAt, id] = parsePosition(cursor, { read, lowest: '' })
  return { updatedAt, id }
}
