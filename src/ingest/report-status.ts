// Tells the serving side once a second how the ingest thread is doing.

import type { IngestMessage } from '../bridge.ts'
import type { Memory } from '../indexing/memory.ts'
import type { Consumer } from '../jetstream/consumer.ts'
import type { Db } from '../store/db.ts'
import { countOpenGaps } from '../store/gaps.ts'
import { countJobsRoughly } from '../store/jobs.ts'
import type { LatencyRecorder } from './latency.ts'

const INTERVAL_MS = 1_000

export function reportStatus(options: {
  db: Db
  memory: Memory
  consumer: Consumer
  latency: LatencyRecorder
  tell: (message: IngestMessage) => void
}): { stop(): void } {
  const { db, memory, consumer, latency, tell } = options
  const timer = setInterval(() => {
    tell({
      kind: 'status',
      status: {
        stream: consumer.status(),
        actors: memory.actors.count,
        follows: memory.graph.edgeCount,
        timelines: memory.timelines.openCount,
        jobs: countJobsRoughly(db),
        openGaps: countOpenGaps(db),
        visibleMs: latency.take(),
      },
    })
  }, INTERVAL_MS)
  return { stop: () => clearInterval(timer) }
}
