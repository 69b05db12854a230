// What the methods are made of: every handler takes the parts of this that it needs.

import type { Writer } from '../bridge.ts'
import type { ActorReader } from '../graph/types.ts'
import type { Hydrator, Viewer } from '../hydrate/types.ts'
import type { GuardedFetch } from '../identity/guarded-fetch.ts'
import type { Resolver } from '../identity/resolver.ts'
import type { Accounts } from '../skeleton/accounts.ts'
import type { createAuthorFeedSkeleton } from '../skeleton/author-feed.ts'
import type { createAccountLists } from '../skeleton/follow-lists.ts'
import type { createKnownFollowers } from '../skeleton/known-followers.ts'
import type { Records } from '../skeleton/records.ts'
import type { createTimelineSkeleton } from '../skeleton/timeline.ts'
import type { ActorNames } from './actor-names.ts'
import type { FirstPage } from './first-page.ts'
import type { Wanted } from './wanted.ts'

export type Serving = {
  actors: ActorReader
  hydrator: Hydrator
  writer: Writer
  resolver: Pick<Resolver, 'resolve'>
  fetch: GuardedFetch
  accounts: Accounts
  records: Records
  firstPage: FirstPage
  timeline: ReturnType<typeof createTimelineSkeleton>
  authorFeed: ReturnType<typeof createAuthorFeedSkeleton>
  lists: ReturnType<typeof createAccountLists>
  knownFollowers: ReturnType<typeof createKnownFollowers>
  names: ActorNames
  wanted: Wanted
}

/** Who asks, as hydration knows it. */
export function viewerOf(actors: ActorReader, did: string): NonNullable<Viewer>
export function viewerOf(actors: ActorReader, did: string | undefined): Viewer
export function viewerOf(actors: ActorReader, did: string | undefined): Viewer {
  return did === undefined ? undefined : { uid: actors.uidOf(did), did }
}
