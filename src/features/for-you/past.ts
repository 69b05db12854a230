// Rebuilds the engine from the stream's past, where there was no snapshot: the likes of the hours before it began to
// listen, read by a connection of its own once a member first opens For You. Beside the live stream, nothing waits for
// it. How far it got is in the engine's memory, and so in the snapshot: a restart goes on there, and it runs but once.

import { createConsumer, type StreamBatch } from '@slipstream/jetstream'
import type { Config } from '../../base/config/config.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'
import { pause } from '../../base/util/waits.ts'
import type { Core } from '../../ingest/core.ts'
import { clockCursor } from '../../ingest/replay/clock-cursor.ts'
import { streamSettings, unreadCollections } from '../../ingest/upkeep/stream/stream-settings.ts'
import { H, type State } from './engine/layout.ts'
import { minuteOf } from './engine/minutes.ts'

type Past = {
  /** Reads it, unless it was read, is being read, or is too long ago. */
  begin(): void
  stop(): Promise<void>
}

type Options = {
  state: State
  /** Takes in the likes of a batch, as of their own times. */
  hear(batch: StreamBatch): void
  /** Called once all was read. */
  onEnd(): void
}

const HOURS = 6
/** Half of the network's likes of six hours; whatever is missing then stays so. */
const MOST_MS = HOUR_MS / 2
/** Then the stream has brought what it has: a live one is never so silent. */
const QUIET_MS = 10 * SECOND_MS
const SLICE = { maxBatchEvents: 500, maxBatchBytes: 512 * 1024 }
const LIKES = ['app.bsky.feed.like'] as const
const MINUTES_AN_HOUR = 60

export function createPast(config: Config, core: Core, { state, hear, onEnd }: Options): Past {
  const { header } = state
  const { log, now } = core
  const began = header[H.began]!
  const first = began - HOURS * MINUTES_AN_HOUR
  let consumer: ReturnType<typeof createConsumer> | undefined
  let latest: ReturnType<typeof setTimeout> | undefined
  let quiet: ReturnType<typeof setTimeout> | undefined
  const abort = new AbortController()

  const isNeeded = () =>
    began > 0 &&
    header[H.reached]! < began &&
    minuteOf(now()) - began < HOURS * MINUTES_AN_HOUR &&
    // What the network does is left out for want of bytes, or not subscribed at all; a relay has no such past.
    config.streamBudgetGbMonth === 0 &&
    config.jetstreamHosts.length > 0 &&
    config.indexScope !== 'authors'

  async function apply(batch: StreamBatch): Promise<void> {
    const start = performance.now()
    hear(batch)
    const minute = minuteOf(batch.cursor.timeUs / 1000)
    // Within this minute, the live stream may have begun late.
    if (minute > began) return end()
    header[H.reached] = Math.min(minute, began - 1)
    clearTimeout(quiet)
    quiet = setTimeout(end, QUIET_MS)
    // Half of the thread's time at most.
    await pause(Math.min(SECOND_MS, performance.now() - start), abort.signal)
  }

  function close(): Promise<void> | undefined {
    clearTimeout(latest)
    clearTimeout(quiet)
    abort.abort()
    return consumer?.stop()
  }

  function end(): void {
    if (abort.signal.aborted) return
    header[H.reached] = began
    void close()
    log.info({ likes: header[H.heard] }, 'For You has read the likes of the past hours')
    onEnd()
  }

  return {
    begin() {
      if (consumer || !isNeeded()) return
      const fromMs = Math.max(first, header[H.reached]!) * MINUTE_MS
      consumer = createConsumer({
        ...streamSettings(config, core.traffic, 'replay'),
        filters: { collections: LIKES, dids: undefined },
        unread: unreadCollections(config),
        cursors: [clockCursor(config.jetstreamHosts, config.jetstreamWire, fromMs * 1000)],
        apply,
        log: log.child({ of: 'for-you' }),
        limits: SLICE,
      })
      consumer.start()
      latest = setTimeout(end, MOST_MS)
    },
    async stop() {
      await close()
    },
  }
}
