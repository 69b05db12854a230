// Where the stream begins in a new data folder: now, written down before anything is fetched. What
// is fetched from then on is as of a later moment, so between the two nothing can fall through,
// however long the first connection takes and whether or not this process lives to see it.

import type { Config } from '../../base/config/config.ts'
import type { StreamCursor } from '../../base/event.ts'
import type { Db } from '../../data/store/db.ts'
import { putStreamCursor, streamCursors } from '../../data/store/stream-cursors.ts'
import type { Writer } from '../indexing/writer.ts'

/** What was saved; the present moment where nothing was. */
export function cursorsFromNowOn(
  { db, writer }: { db: Db; writer: Pick<Writer, 'commit'> },
  { jetstreamHosts, jetstreamWire }: Pick<Config, 'jetstreamHosts' | 'jetstreamWire'>,
  now: number,
): StreamCursor[] {
  const saved = streamCursors(db)
  if (saved.length > 0) return saved
  const wire = jetstreamWire === 'v1' ? 'v1' : 'v2'
  const first = {
    host: jetstreamHosts[0]!,
    wire,
    seq: undefined,
    timeUs: now * 1000,
    isByClock: true,
  } as const
  writer.commit((ctx) => putStreamCursor(ctx.db, first, now))
  return [first]
}
