// The main stream's position, in a form that a second stream can recognise. Everything up to it was applied
// with the accounts known by now, so a replay that reaches it joins without a gap. Servers do not tell when a
// replay reaches the present, and a stream of few accounts may be silent for hours. So a replay also
// subscribes to beacons, the accounts that the main stream heard last: their events show its progress and are
// not applied again.

import type { StreamCursor, StreamItem } from '@slipstream/jetstream'

export type StreamHead = {
  /** After the last event applied. */
  cursor: StreamCursor
  /** The latest applied commits, each of a different account, newest first. */
  beacons: Beacon[]
}

type Beacon = { did: string; rev: string }

const MAX_BEACONS = 8
/** Beacons are picked from these items: some accounts write many events in a row. */
const RETAINED_ITEMS = 128

type HeadTracker = {
  /** Called after the batch was applied. */
  note(batch: { events: readonly StreamItem[]; cursor: StreamCursor }): void
  /** undefined: nothing was ever applied or saved. */
  head(): StreamHead | undefined
}

/** `saved`: where the main stream resumes after a restart. */
export function createHeadTracker(saved: StreamCursor | undefined): HeadTracker {
  let cursor = saved?.isByClock ? undefined : saved
  let latest: readonly StreamItem[] = []
  return {
    note(batch) {
      cursor = batch.cursor
      latest = [...latest, ...batch.events.slice(-RETAINED_ITEMS)].slice(-RETAINED_ITEMS)
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
