// The relation between unrelated accounts, and of an account to itself.

import type { Relation } from '../types.ts'

export const NO_RELATION: Readonly<Relation> = Object.freeze({
  muted: false,
  mutedOnlyReposts: false,
  mutedOnlyQuoteposts: false,
  mutedByList: undefined,
  following: undefined,
  followedBy: undefined,
  blocking: undefined,
  blockedBy: undefined,
  blockingByList: undefined,
  blockedByList: undefined,
})
