// What a job read in somebody's repository, on its way to the writer.

import type { Collection } from '../../base/atproto/collections.ts'
import type { PdsRecord } from '../../sources/pds/pds-client.ts'

/** Records of one collection of one repository, as its PDS gave them. */
export type FetchedRecords = {
  did: string
  collection: Collection
  records: PdsRecord[]
  /** A member's own posts only: the rev of the repository that the listing is complete up to. */
  repoRev?: string
  /** When we began to ask, by our clock: what the stream changed since then is newer. */
  fetchedAt: number
  /** Posts and reposts that a member is to be shown: kept whoever wrote them. */
  isShown?: boolean | undefined
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
