// Where the main stream is, as a second stream can recognise it. Whatever is behind this place was applied with the
// accounts known by now; a replay that has come this far has met it without a seam. The servers say nothing when a
// replay has reached the present, and a stream of few accounts may be silent for hours. So a replay asks for a few
// accounts more, beacons, which the main stream heard of last: their events are not applied again, but tell how far
// it is.

import type { StreamCursor, StreamItem } from '../../base/event.ts'

export type StreamHead = {
  /** After the last event applied. */
  cursor: StreamCursor
  /** The latest commits applied, each of another account, the newest first. */
  beacons: Beacon[]
}

type Beacon = { did: string; rev: string }

const MAX_BEACONS = 8
/** Of these the beacons are taken: some accounts write many events in a row. */
const KEPT_ITEMS = 128

type HeadTracker = {
  /** After the batch was applied. */
  note(batch: { events: readonly StreamItem[]; cursor: StreamCursor }): void
  /** undefined: nothing was ever applied or saved. */
  head(): StreamHead | undefined
}

/** `saved`: where the main stream goes on after a restart. */
export function createHeadTracker(saved: StreamCursor | undefined): HeadTracker {
  let cursor = saved?.isByClock ? undefined : saved
  let latest: readonly StreamItem[] = []
  return {
    note(batch) {
      cursor = batch.cursor
      latest = [...latest, ...batch.events.slice(-KEPT_ITEMS)].slice(-KEPT_ITEMS)
    },
    head: () => cursor && { cursor, beacons: beaconsIn(latest) },
  }
}

function beaconsIn(items: readonly StreamItem[]): Beacon[] {
  const beacons = new Map<string, Beacon>()
  for (const item of items.toReversed()) {
    if (beacons.size === MAX_BEACONS) break
    const event = item.kind === 'unread' ? item.read() : item
    if (event?.kind !== 'commit' || beacons.has(event.did)) continue
    beacons.set(event.did, { did: event.did, rev: event.rev })
  }
  return [...beacons.values()]
}
