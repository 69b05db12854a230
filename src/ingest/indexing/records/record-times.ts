// Times of a record. `createdAt` is a claim; `sortAt`, the earlier of claim and arrival, is the reference's
// sort key.

import { normalizeDatetimeAlways } from '@atproto/syntax'
import { microsOf, type PackedRkey } from '../../../base/atproto/keys.ts'

const NETWORK_BEGAN_AT = Date.parse('2022-11-01')
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** Milliseconds since 1970, negative before; 0 for an unreadable time, as in the reference. */
export function parseCreatedAt(createdAt: unknown): number {
  if (typeof createdAt !== 'string') return 0
  const parsed = Date.parse(
    CANONICAL.test(createdAt) ? createdAt : normalizeDatetimeAlways(createdAt),
  )
  return Number.isFinite(parsed) ? Math.floor(parsed) : 0
}

/**
 * Returns a key's time; undefined if it is from before the network or after `latest`, since keys
 * can be made up too.
 */
export function keyMadeAt(rkey: PackedRkey, latest: number): number | undefined {
  if (typeof rkey === 'string') return undefined
  const madeAt = Math.floor(microsOf(rkey) / 1000)
  return madeAt >= NETWORK_BEGAN_AT && madeAt <= latest ? madeAt : undefined
}
