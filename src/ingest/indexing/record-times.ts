// Times of a record. `createdAt` is a claim; `sortAt`, the earlier of claim and arrival, is what
// the reference sorts by.

import { normalizeDatetimeAlways } from '@atproto/syntax'

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** Milliseconds since 1970, not before it; 0 for what cannot be read, as in the reference. */
export function parseCreatedAt(createdAt: unknown): number {
  if (typeof createdAt !== 'string') return 0
  const parsed = Date.parse(
    CANONICAL.test(createdAt) ? createdAt : normalizeDatetimeAlways(createdAt),
  )
  return Number.isFinite(parsed) ? Math.max(0, Math.floor(parsed)) : 0
}
