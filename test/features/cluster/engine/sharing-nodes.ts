// Two of our nodes, each with its own rows and requests, that share members' private state on one engine.

import type { PrivateChanges } from '../../../../src/features/cluster/engine/private-changes.ts'
import { createSharedState } from '../../../../src/features/cluster/sharing/shared-state.ts'
import type { MemberState } from '../../../../src/ingest/indexing/member-state/document.ts'
import { readState } from '../../../../src/ingest/indexing/member-state/read-state.ts'
import { didOf } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

type SharedState = ReturnType<typeof createSharedState>

export type SharingNode = {
  world: ServingWorld
  shared: SharedState
  /**
   * A member's state in this node's rows, without times: a node that saw only the last change knows
   * only its time.
   */
  state(did: string): unknown
}

export const ALICE = didOf('alice')

export function startNode(cluster: {
  id: string
  changes: () => Promise<PrivateChanges>
}): SharingNode {
  const made: { shared?: SharedState } = {}
  const world = createServingWorld({
    members: ['alice'],
    async onViewer(did) {
      await made.shared!.upToDate(did)
    },
    throughWriter(writer, { reader: db }) {
      made.shared = createSharedState({
        waitedForMs: 60_000,
        cluster: async () => ({ id: cluster.id, changes: await cluster.changes() }),
        db,
        writer,
        log: { warn() {}, error: (...line: unknown[]) => console.error(...line) },
      })
      return made.shared.writer
    },
  })
  const shared = made.shared!
  return { world, shared, state: (did) => withoutTimes(readState(world.world.reader, did)) }
}

function withoutTimes(state: MemberState): unknown {
  const lists = ['mutes', 'listMutes', 'threadMutes', 'bookmarks', 'drafts'] as const
  const plain = [...lists, 'activitySubscriptions' as const].map((name) => [
    name,
    state[name]
      .map(({ createdAt: _, ...item }) => JSON.stringify({ ...item, updatedAt: '' }))
      .sort(),
  ])
  return { ...state, ...Object.fromEntries(plain) }
}
