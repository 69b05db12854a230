// Whose turn it is to do what must be done once, whatever number of nodes there are: each member belongs to a bucket,
// and each bucket has one node at a time (leases.ts).

import { hash } from 'node:crypto'

/** Many more than nodes, so that they share them evenly; the first byte of a digest names one. */
export const BUCKETS = 256

/** @param name - a DID, or whatever else belongs to somebody */
export function bucketOf(name: string): number {
  return Number.parseInt(hash('sha256', name).slice(0, 2), 16)
}
