// Writes Slipstream's figures to the history, once an interval: the mean of each second's reports. A figure
// is averaged only over the seconds in which it is known.

import type { IngestStatus } from '../../../bridge/messages.ts'
import {
  HISTORY_RINGS,
  HISTORY_SERIES,
  type HistorySample,
  type HistorySeries,
  putHistory,
} from '../../../data/store/counts/history.ts'
import { beginRun } from '../../../data/store/counts/history-holes.ts'
import type { Writer } from '../../indexing/writer.ts'

const INTERVAL_MS = HISTORY_RINGS[0].stepSeconds * 1000

/** @returns a function that takes each report. */
export function recordHistory(
  { commit }: Pick<Writer, 'commit'>,
  now: () => number,
): (status: IngestStatus) => void {
  let sums = new Map<HistorySeries, { sum: number; count: number }>()
  const startedAt = now()
  let isFirst = true
  let slot = Math.floor(startedAt / INTERVAL_MS)

  function flush(): void {
    const means = [...sums].map(([name, { sum, count }]) => [name, sum / count])
    const sample = Object.fromEntries(means) as HistorySample
    commit(({ db }) => putHistory(db, slot * INTERVAL_MS, sample))
    sums = new Map()
  }

  return (status) => {
    // At once: a process that keeps ending may not live until its first sample.
    if (isFirst) commit(({ db }) => beginRun(db, startedAt))
    isFirst = false
    const current = Math.floor(now() / INTERVAL_MS)
    if (current !== slot && sums.size > 0) flush()
    slot = current
    const sample = sampleOf(status)
    for (const name of HISTORY_SERIES) {
      const value = sample[name]
      if (value === undefined) continue
      const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 }
      sums.set(name, { sum: sum + value, count: count + 1 })
    }
  }
}

function sampleOf({ pulse, ...status }: IngestStatus): HistorySample {
  return {
    events_s: pulse.eventsPerSecond,
    // Without an event since the start, it is at least as far behind as it has been disconnected.
    lag_ms: status.stream.lagMs ?? status.stream.awayMs,
    visible_ms: status.visibleMs.count > 0 ? status.visibleMs.p99 : undefined,
    requests_s: pulse.requestsPerSecond,
    failures_s: pulse.failuresPerSecond,
    answer_p50_ms: pulse.answerMs.p50,
    answer_p99_ms: pulse.answerMs.p99,
    memory_bytes: pulse.memoryBytes,
    database_bytes: pulse.databaseBytes,
    disk_free_bytes: pulse.freeBytes,
    members: status.members,
    timelines: status.timelines,
    actors: status.actors,
    follows: status.follows,
    jobs: status.jobs,
    open_gaps: status.openGaps,
  }
}
