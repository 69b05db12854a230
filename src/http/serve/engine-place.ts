// The way from one serving thread to the engine: opened when it is first needed, and again where that failed.

import { connectEngine, type Engine, type EngineSettings } from '../../data/engine/connect.ts'
import { createCqlPrivateChanges } from '../../data/engine/cql-private-changes.ts'
import { createLeaseTable, type LeaseTable } from '../../data/engine/lease-table.ts'
import { checkedPlace } from '../../data/engine/schema.ts'
import { createTimelineLog, type TimelineLog } from '../../data/engine/timeline-log.ts'
import type { SharedPlace } from './shared-state.ts'

type OpenPlace = SharedPlace & { leases: LeaseTable; timelines: TimelineLog }

export function createEnginePlace(settings: EngineSettings): {
  place: () => Promise<OpenPlace>
  close(): Promise<void>
} {
  let engine: Engine | undefined
  let isClosed = false
  let opening: Promise<OpenPlace> | undefined

  async function open(): Promise<OpenPlace> {
    engine ??= await connectEngine(settings)
    if (isClosed) await engine.close()
    return {
      id: await checkedPlace(engine),
      changes: createCqlPrivateChanges(engine),
      leases: createLeaseTable(engine),
      timelines: createTimelineLog(engine),
    }
  }

  return {
    place() {
      opening ??= open().catch((error) => {
        opening = undefined
        throw error
      })
      return opening
    },
    async close() {
      isClosed = true
      await engine?.close()
    },
  }
}
