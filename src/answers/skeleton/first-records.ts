// Pages of the first record of each pair, of records that may repeat a pair: reads on past the others, so that
// a page is as long as it can be, and a cursor leads to further ones.

import { isTimeUp } from '../../base/util/turn.ts'

type Reading<Entry, Position> = {
  limit: number
  before: Position
  /** Reads at most `count` entries below a place, newest first. */
  read: (before: Position, count: number) => readonly Entry[]
  /** Which of these entries are the first of their pair. */
  areFirst: (entries: readonly Entry[]) => readonly boolean[]
  positionOf: (entry: Entry) => Position
}

/** An account may have made any number of records about one subject. */
const MAX_READS = 5
const FURTHER = 200

/** @returns `last`: the entry that the next page is below; undefined if there is none */
export function firstRecords<Entry, Position>(
  reading: Reading<Entry, Position>,
): { items: Entry[]; last: Entry | undefined } {
  const { limit, read, areFirst, positionOf } = reading
  const items: Entry[] = []
  let position = reading.before
  for (let reads = 1; ; reads++) {
    const count = reads === 1 ? limit + 1 : Math.max(limit + 1, FURTHER)
    const entries = read(position, count)
    const isFirst = areFirst(entries)
    items.push(...entries.filter((_, i) => isFirst[i]))
    if (items.length > limit) return { items: items.slice(0, limit), last: items[limit - 1] }
    if (entries.length < count) return { items, last: undefined }
    const lowest = entries.at(-1)!
    if (reads === MAX_READS || isTimeUp()) return { items, last: lowest }
    position = positionOf(lowest)
  }
}
