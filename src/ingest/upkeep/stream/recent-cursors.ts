// Where the main stream was in the last minutes: places from which another stream can begin exactly, by number.

import type { StreamCursor } from '@slipstream/jetstream'
import { SECOND_MS } from '../../../base/util/durations.ts'

export type RecentCursors = {
  /** After a batch was written. */
  note(cursor: StreamCursor): void
  latest(): StreamCursor | undefined
  /** The latest that is no later than this, in milliseconds. */
  before(ms: number): StreamCursor | undefined
}

const MOST = 240
const APART_US = 5 * SECOND_MS * 1000

export function createRecentCursors(first: StreamCursor | undefined): RecentCursors {
  const cursors: StreamCursor[] = first ? [first] : []
  let latest = first

  return {
    note(cursor) {
      latest = cursor
      const last = cursors.at(-1)
      const isNear = last?.host === cursor.host && cursor.timeUs - last.timeUs < APART_US
      if (isNear) return
      cursors.push(cursor)
      if (cursors.length > MOST) cursors.shift()
    },
    latest: () => latest,
    before: (ms) => cursors.findLast(({ timeUs }) => timeUs <= ms * 1000),
  }
}
