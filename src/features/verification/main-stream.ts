// Relays in place of Jetstream (JETSTREAM_HOSTS=off): one after another in order of preference, or all at once.
// What a relay says of members and those they follow is verified as always; with VERIFY=all, everything is.

import type { Consumer, StreamBatch, StreamStatus } from '@slipstream/jetstream'
import { firehoseCursors, latestStreamTimeUs } from '../../data/store/stream/stream-cursors.ts'
import type { Core } from '../../ingest/core.ts'
import type { Firehose } from './firehose/consumer.ts'
import type { Judge } from './firehose/judge.ts'
import { openEach, openFirehose } from './open-firehose.ts'

type MainOptions = {
  hosts: readonly string[]
  use: 'reserve' | 'always'
  judge: Judge
  isAtHome?: (did: string, host: string) => boolean
  apply: (batch: StreamBatch) => Promise<void>
}

export function createMainRelays(core: Core, options: MainOptions): Consumer {
  const { use } = options
  const cursors = firehoseCursors(core.db)
  const untilUs = latestStreamTimeUs(core.db) || core.now() * 1000
  /** Where a host has numbered nothing so far, or the stream was another one before. */
  const receivedUntilUs = (host: string) => {
    const at = cursors.find((cursor) => cursor.host === host)
    return at?.seq === undefined ? (at?.timeUs ?? untilUs) : undefined
  }
  const all =
    use === 'reserve'
      ? [openFirehose(core, { ...options, cursors, receivedUntilUs: untilUs })]
      : openEach(core, { ...options, cursors, receivedUntilUs })
  return {
    start: () => all.forEach((firehose) => void firehose.start()),
    stop: async () => void (await Promise.all(all.map((firehose) => firehose.stop()))),
    // A relay sends everything.
    setFilters: () => undefined,
    status: () => statusOf(all),
  }
}

/** Of the relay that is furthest, with the figures of all. */
function statusOf(all: readonly Firehose[]): StreamStatus {
  const each = all.map((firehose) => firehose.status())
  const leading = each.toSorted(
    (a, b) =>
      Number(b.connected) - Number(a.connected) ||
      (b.lastEventTimeUs ?? 0) - (a.lastEventTimeUs ?? 0),
  )[0]!
  const sum = (what: 'received' | 'reconnects' | 'gaps') =>
    each.reduce((total, value) => total + value[what], 0)
  return {
    ...leading,
    wire: 'repos',
    compressed: false,
    filtersSent: true,
    received: sum('received'),
    reconnects: sum('reconnects'),
    gaps: sum('gaps'),
    // What fails is counted by host and reason: `unverified`.
    dropped: {},
    lastErrorHost: leading.lastError === undefined ? undefined : leading.host,
  }
}
