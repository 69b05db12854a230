// A serving thread's connection to the engine: opened on first use, and again after a failure.

import type { ClusterChanges } from '../engine/cluster-changes.ts'
import { connectEngine, type Engine, type EngineSettings } from '../engine/connect.ts'
import { createCqlClusterChanges } from '../engine/cql-cluster-changes.ts'
import { createCqlPrivateChanges } from '../engine/cql-private-changes.ts'
import { createFollowingEpochs, type FollowingEpochs } from '../engine/following-epochs.ts'
import { createFollowingLog, type FollowingLog } from '../engine/following-log.ts'
import { createLeaseTable, type LeaseTable } from '../engine/lease-table.ts'
import { checkedCluster } from '../engine/schema.ts'
import { createTimelineLog, type TimelineLog } from '../engine/timeline-log.ts'
import type { PrivateClusterState } from './shared-state.ts'

type OpenClusterState = PrivateClusterState & {
  decisions: ClusterChanges
  leases: LeaseTable
  timelines: TimelineLog
  following: FollowingLog
  epochs: FollowingEpochs
}

export function createClusterState(settings: EngineSettings): {
  cluster: () => Promise<OpenClusterState>
  close(): Promise<void>
} {
  let engine: Engine | undefined
  let isClosed = false
  let opening: Promise<OpenClusterState> | undefined

  async function open(): Promise<OpenClusterState> {
    engine ??= await connectEngine(settings)
    if (isClosed) await engine.close()
    const { id, base } = await checkedCluster(engine)
    return {
      id,
      changes: createCqlPrivateChanges(engine),
      decisions: createCqlClusterChanges(engine),
      leases: createLeaseTable(engine),
      timelines: createTimelineLog(engine),
      following: createFollowingLog(engine, base),
      epochs: createFollowingEpochs(engine),
    }
  }

  return {
    cluster() {
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
