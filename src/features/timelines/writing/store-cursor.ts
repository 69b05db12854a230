// Stores a reader's position, unless the reader's membership or token has ended meanwhile: the row would have
// no owner to go with.

import { type IndexContext, isMember } from '../../../ingest/indexing/index-context.ts'
import type { CursorOutcome, CursorReader, CursorRequest } from '../requests.ts'
import { findServiceTokenNamed } from '../store/programs/service-tokens.ts'
import { type CursorOwner, storeCursor } from '../store/timeline-cursors.ts'

export function storeReadingPosition(ctx: IndexContext, cursor: CursorRequest): CursorOutcome {
  const owner = ownerOf(ctx, cursor.reader)
  if (!owner) return 'no-reader'
  const { timeline, position } = cursor
  return storeCursor(ctx.db, owner, { timeline, position, now: ctx.now }) ? 'stored' : 'full'
}

function ownerOf(ctx: IndexContext, reader: CursorReader): CursorOwner | undefined {
  if ('did' in reader) {
    const uid = ctx.actors.uidOf(reader.did)
    return isMember(ctx, uid) ? { uid, token: '' } : undefined
  }
  const row = findServiceTokenNamed(ctx.db, reader.token)
  return row && row.revoked_at === null ? { uid: 0, token: row.name } : undefined
}
