// What every job of this room works with.

import type { Resolver } from '../identity/resolver.ts'
import type { Logger } from '../obs/log.ts'
import type { Collection } from '../store/collections.ts'
import type { Db } from '../store/db.ts'
import type { Applier } from './applier.ts'
import type { BackfillLimits } from './limits.ts'
import type { PdsClient, PdsRecord } from './pds-client.ts'

/** Records of one collection of one repository, as its PDS gave them. */
export type FetchedRecords = {
  did: string
  collection: Collection
  records: PdsRecord[]
  /** A member's own posts only: the rev of the repository that the listing is complete up to. */
  repoRev?: string
  /** When we began to ask, by our clock: what the stream changed since then is newer. */
  fetchedAt: number
}

/** Keys that the repository no longer has. */
export type GoneRecords = {
  did: string
  uid: number
  collection: Collection
  rkeys: string[]
  /** The repository's before we began to ask, where the PDS told. */
  rev: string | undefined
  /** When we began to ask, by our clock. */
  fetchedAt: number
}

export type Services = {
  db: Db
  apply: Applier
  pds: PdsClient
  resolver: Resolver
  limits: BackfillLimits
  log: Logger
  now: () => number
  signal: AbortSignal
}

/** Whose repository a job reads, and where. */
export type RepoTarget = {
  uid: number
  did: string
  pds: string
  /** It was asked often enough: what still does not hash to its CID is left out. */
  leavesOutMismatched?: boolean
}

/** Lets what waits in this thread run: live events come first. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
