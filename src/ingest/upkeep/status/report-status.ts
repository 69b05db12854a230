// Reports the ingest thread's status to the serving side once a second.

import type { Counts } from '../../../base/obs/counts.ts'
import type {
  ColdStartProgress,
  DiskStatus,
  IngestMessage,
  IngestStatus,
  Stall,
} from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import { countJobsRoughly } from '../../../data/store/fetching/jobs.ts'
import { countMembers } from '../../../data/store/members/members.ts'
import { quarantinedLabelers } from '../../../data/store/moderation/labelers.ts'
import { gapCounts } from '../../../data/store/stream/gaps.ts'
import type { WriteRetry } from '../../../data/store/write-retry.ts'
import type { TrafficStatus } from '../../../sources/traffic.ts'
import type { BegunStream } from '../../begin-stream.ts'
import type { CountingMemory } from '../memory/memory.ts'
import { createQuietWatch } from '../stream/quiet.ts'
import type { LatencyRecorder } from './latency.ts'
import type { PulseTaker } from './pulse.ts'

const INTERVAL_MS = 1_000

export function reportStatus(options: {
  db: Db
  memory: CountingMemory
  consumer: BegunStream
  latency: LatencyRecorder
  coldStarts: () => ColdStartProgress[]
  disk: () => DiskStatus
  stalls: () => Stall[]
  pulse: PulseTaker
  counts: Counts
  traffic: () => TrafficStatus
  tell: (message: IngestMessage) => void
  /** Called with each status too, in this thread. */
  record: (status: IngestStatus) => void
  diskSpace: Pick<WriteRetry, 'ifThereIsSpace'>
}): { stop(): void } {
  const { db, memory, consumer, latency, coldStarts, pulse, counts, tell, record } = options
  const watchQuiet = createQuietWatch(Date.now)
  const timer = setInterval(() => {
    const disk = options.disk()
    const gaps = gapCounts(db)
    const stream = watchQuiet(consumer.status())
    const status: IngestStatus = {
      ...consumer.report(),
      stream,
      actors: memory.actors.count,
      follows: memory.graph.edgeCount,
      timelines: memory.timelines.openCount,
      jobs: countJobsRoughly(db),
      openGaps: gaps.open + gaps.repairing,
      coldStarts: coldStarts(),
      beforeLive: consumer.beforeLive(),
      gaps,
      visibleMs: latency.take(),
      members: countMembers(db),
      quarantinedLabelers: quarantinedLabelers(db, Date.now()).length,
      pulse: pulse.take(stream.received),
      disk,
      counts: counts.read(),
      traffic: options.traffic(),
      fanOut: memory.fanOuts.read(),
      stalls: options.stalls(),
    }
    tell({ kind: 'status', status })
    options.diskSpace.ifThereIsSpace(() => record(status))
  }, INTERVAL_MS)
  return {
    stop() {
      clearInterval(timer)
      pulse.stop()
    },
  }
}
