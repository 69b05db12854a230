// Connects the replays of accounts' last hours (ingest/replay/) with the ingest thread: the same hosts and
// settings as the main stream, the same indexer, and the main stream's position. Also starts and stops the
// repair of the main stream's gaps.

import type { StreamBatch, StreamStatus } from '@slipstream/jetstream'
import type { Config } from '../../../base/config/config.ts'
import type { Logger } from '../../../base/obs/log.ts'
import { HOUR_MS } from '../../../base/util/durations.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { streamCursors } from '../../../data/store/stream/stream-cursors.ts'
import type { WriteRetry } from '../../../data/store/write-retry.ts'
import type { Traffic } from '../../../sources/traffic.ts'
import type { Memory } from '../../indexing/memory/memory.ts'
import { buildTimeline } from '../../indexing/memory/open-timeline.ts'
import type { Writer } from '../../indexing/writer.ts'
import { createReplays, type Replays } from '../../replay/replays.ts'
import { createHeadTracker, type StreamHead } from '../../replay/stream-head.ts'
import { createGapRepairing } from './gap-repairing.ts'
import { streamSettings } from './stream-settings.ts'

export type Replaying = Replays & {
  /** Called after a batch of the main stream was applied. */
  noteBatch(batch: StreamBatch): void
}

export function createReplaying(
  config: Config,
  parts: {
    actors: ActorReader
    db: Db
    writer: Writer
    log: Logger
    now: () => number
    writeRetry: WriteRetry
    streamStatus: () => StreamStatus
    traffic: Traffic
    checkpoint: () => Promise<void> | undefined
    wakeBackfill: () => void
  },
): Replaying {
  const { db, checkpoint, traffic, wakeBackfill, streamStatus } = parts
  const saver = createHeadTracker(streamCursors(db)[0])
  const namesAccounts = config.indexScope === 'authors'

  /** If accounts are named to the main stream's host, it must first know the new ones. */
  function head(): StreamHead | undefined | 'wait' {
    const at = saver.head()
    if (!namesAccounts || !at) return at
    const { filtersSent, lastEventTimeUs = 0 } = streamStatus()
    return filtersSent && at.cursor.timeUs >= lastEventTimeUs ? at : 'wait'
  }

  const shared = {
    ...parts,
    head,
    stream: streamSettings(config, traffic, 'replay'),
    onApplied: () => {
      wakeBackfill()
      return checkpoint()
    },
    onJobs: wakeBackfill,
  }
  const replays = createReplays({
    ...shared,
    limits: { recentMs: config.replayHours * HOUR_MS },
  })
  const repair = createGapRepairing(config, {
    ...shared,
    stream: streamSettings(config, traffic, 'repair'),
  })
  return {
    ...replays,
    start() {
      replays.start()
      repair.start()
    },
    stop: async () => void (await Promise.all([replays.stop(), repair.stop()])),
    noteBatch: (batch) => saver.note(batch),
  }
}

/** Counts a timeline's items up to `limit`, also as it would be if it is not in memory. */
export function countTimelineItems(
  { db, memory, now }: { db: Db; memory: Memory; now: () => number },
  owner: number,
  limit: number,
): number {
  const slice = memory.timelines.read(owner, undefined, limit)
  const entries = slice?.entries ?? buildTimeline(db, memory, owner, now()).entries
  return Math.min(entries.length, limit)
}
