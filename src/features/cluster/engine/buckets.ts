// Divides work that must be done once among any number of nodes: each member belongs to a bucket, and each
// bucket is held by one node at a time (leases.ts).

import { hash } from 'node:crypto'

/** Far more than nodes, so that nodes share them evenly; the first byte of a digest selects one. */
export const BUCKETS = 256

/** @param name - a DID, or any other name with an owner */
export function bucketOf(name: string): number {
  return Number.parseInt(hash('sha256', name).slice(0, 2), 16)
}
