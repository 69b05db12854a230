// Records that a job read from a repository, on their way to the writer.

import type { Collection } from '../../base/atproto/collections.ts'
import type { PdsRecord } from '../../sources/pds/pds-client.ts'

/** Records of one collection of one repository, as its PDS gave them. */
export type FetchedRecords = {
  did: string
  collection: Collection
  records: PdsRecord[]
  /** Only for a member's own posts: the repository's rev up to which the listing is complete. */
  repoRev?: string
  /** When the request began, by our clock; changes from the stream since then are newer. */
  fetchedAt: number
  /** Posts and reposts to be shown to a member: kept whoever wrote them. */
  isVisible?: boolean | undefined
}

/** Keys that the repository no longer has. */
export type GoneRecords = {
  did: string
  uid: number
  collection: Collection
  rkeys: string[]
  /** The repository's rev before the request began, if the PDS gave it. */
  rev: string | undefined
  /** When the request began, by our clock. */
  fetchedAt: number
}
