// A plain in-memory twin of an engine that a cluster is moved to or from: all of its ports. Every call can be
// made to fail from some moment on, as when the moving process is killed.

import type {
  ClusterMove,
  ClusterMoves,
} from '../../../../src/features/cluster/engine/cluster-moves.ts'
import { EngineUnavailableError } from '../../../../src/features/cluster/engine/connect.ts'
import type { Lease, LeaseTable } from '../../../../src/features/cluster/engine/lease-table.ts'
import type { MovingClusterState } from '../../../../src/features/cluster/moving/moving-cluster-state.ts'
import { createPlainClusterChanges } from './plain-cluster-changes.ts'
import { createPlainFollowing } from './plain-following-log.ts'
import { createPlainPrivateChanges } from './plain-private-changes.ts'
import { createPlainTimelineLog } from './plain-timeline-log.ts'

export type PlainEngine = ReturnType<typeof createPlainEngine>

export function createPlainEngine(id = 'place') {
  const state = { callsLeft: Infinity, alive: [] as string[] }
  const following = createPlainFollowing()
  const decisions = createPlainClusterChanges()
  const timelines = createPlainTimelineLog().log
  const moves = createPlainMoves(async () => (await decisions.version()) === 0)
  const parts = {
    changes: createPlainPrivateChanges(),
    decisions,
    timelines,
    epochs: following.epochs,
    moves,
    leases: createPlainLeases(state),
  }
  const failing = <Port extends object>(port: Port) => cutOff(port, state)
  const cluster: MovingClusterState = {
    id,
    changes: failing(parts.changes),
    decisions: failing(parts.decisions),
    timelines: failing(parts.timelines),
    epochs: failing(parts.epochs),
    moves: failing(parts.moves),
    leases: failing(parts.leases),
    following: (base) => failing({ ...following.following, base }),
  }
  return { id, place: cluster, state }
}

function cutOff<Port extends object>(port: Port, state: { callsLeft: number }): Port {
  return new Proxy(port, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        if (state.callsLeft <= 0) throw new EngineUnavailableError('cut off')
        state.callsLeft--
        return value.apply(target, args)
      }
    },
  })
}

function createPlainMoves(isEmpty: () => Promise<boolean>): ClusterMoves {
  let found: ClusterMove | undefined
  return {
    read: async () => found,
    async replace(before, after) {
      if (JSON.stringify(found) !== JSON.stringify(before)) return false
      found = after
      return true
    },
    isEmpty,
  }
}

/** Live nodes send a heartbeat on every read. */
function createPlainLeases({ alive }: { alive: readonly string[] }): LeaseTable {
  const leases = new Map<number, Lease>()
  let beats = 0
  return {
    leases: async () => [...leases.values()],
    async beats() {
      beats++
      return new Map(alive.map((node) => [node, beats]))
    },
    beat: async () => undefined,
    leave: async () => undefined,
    async take(node, known, takenAt) {
      if (known.some(({ bucket, epoch }) => (leases.get(bucket)?.epoch ?? 0) !== epoch))
        return false
      for (const { bucket, epoch } of known) {
        leases.set(bucket, { bucket, node, epoch: epoch + 1, takenAt })
      }
      return true
    },
    async give(known) {
      for (const { bucket, epoch } of known) {
        leases.set(bucket, { bucket, epoch, node: undefined, takenAt: 0 })
      }
      return true
    },
  }
}
