// What the serving threads ask of the writer about the state that nodes share.

import type { NumberedClusterChange } from './engine/cluster-changes.ts'
import type { NumberedChange } from './engine/private-changes.ts'

/**
 * Changes of a member's private state shared through an engine, ascending, on top of change `from`
 * (undefined: of none); afterwards this node has all up to `to`.
 */
export type SharedStateRequest = {
  place: string
  from: number | undefined
  to: number
  changes: NumberedChange[]
}

/**
 * Changes of the state that the nodes share, ascending, on top of change `from`; afterwards this
 * node has all up to `to`. Removals of keys up to `goneUntil` need not be remembered.
 */
export type ClusterStateRequest = {
  place: string
  from: number
  to: number
  changes: NumberedClusterChange[]
  goneUntil: number
}

export type ClusterRequests = {
  'cluster/state': SharedStateRequest
  'cluster/place': ClusterStateRequest
}
