// Deletes watch times that are older than the operator keeps them, a little at a time.

import type { Logger } from '../../../base/obs/log.ts'
import { DAY_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { WriteRetry } from '../../../data/store/write-retry.ts'
import type { Writer } from '../../../ingest/indexing/writer.ts'
import { pruneVideoWatches } from '../store/video-watches.ts'

const PRUNED_AT_ONCE = 5_000

export function startPruning(options: {
  writer: Pick<Writer, 'commit'>
  diskSpace: Pick<WriteRetry, 'ifThereIsSpace'>
  /** How many days are kept, today included. */
  days: number
  now: () => number
  log: Pick<Logger, 'debug'>
}): { stop(): void } {
  const { writer, diskSpace, days, now, log } = options

  function prune(): void {
    const firstDay = Math.floor(now() / DAY_MS) + 1 - days
    const watches = writer.commit((ctx) => pruneVideoWatches(ctx.db, firstDay, PRUNED_AT_ONCE))
    if (watches > 0) log.debug({ watches }, 'old watch times of videos deleted')
  }

  const timer = setInterval(() => void diskSpace.ifThereIsSpace(prune), MINUTE_MS)
  return { stop: () => clearInterval(timer) }
}
