// The stream's starting point in a new data folder: the present, saved before anything is fetched. All later
// fetches are as of a later moment, so nothing can fall in between, however long the first connection takes
// and even if this process ends before it.

import type { StreamCursor } from '@slipstream/jetstream'
import type { Config } from '../../../base/config/config.ts'
import type { Db } from '../../../data/store/db.ts'
import { putStreamCursor, streamCursors } from '../../../data/store/stream/stream-cursors.ts'
import type { Writer } from '../../indexing/writer.ts'
import { clockCursor } from '../../replay/clock-cursor.ts'

/** The saved cursors, or the present moment if there are none. */
export function cursorsFromNowOn(
  { db, writer }: { db: Db; writer: Pick<Writer, 'commit'> },
  { jetstreamHosts, jetstreamWire }: Pick<Config, 'jetstreamHosts' | 'jetstreamWire'>,
  now: number,
): StreamCursor[] {
  const saved = streamCursors(db)
  if (saved.length > 0) return saved
  const first = clockCursor(jetstreamHosts, jetstreamWire, now * 1000)
  writer.commit((ctx) => putStreamCursor(ctx.db, first, now))
  return [first]
}
