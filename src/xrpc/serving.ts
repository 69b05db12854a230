// What the methods are made of: every handler takes the parts of this that it needs.

import type { Writer } from '../bridge.ts'
import type { Elsewhere } from '../elsewhere/elsewhere.ts'
import type { Scope } from '../elsewhere/held.ts'
import type { Fragments } from '../fragments/fragments.ts'
import type { ActorReader, FollowGraphReader } from '../graph/types.ts'
import type { Hydrator } from '../hydrate/hydrator-types.ts'
import type { Viewer } from '../hydrate/types.ts'
import type { GuardedFetch } from '../identity/guarded-fetch.ts'
import type { Resolver } from '../identity/resolver.ts'
import type { Accounts } from '../skeleton/accounts.ts'
import type { createPreferencesOf } from '../skeleton/actor-preferences.ts'
import type { createAuthorFeedSkeleton } from '../skeleton/author-feed.ts'
import type { createBookmarkPages } from '../skeleton/bookmarks.ts'
import type { createDraftPages } from '../skeleton/drafts.ts'
import type { createEngagement } from '../skeleton/engagement.ts'
import type { createAccountLists } from '../skeleton/follow-lists.ts'
import type { createItemsByUri } from '../skeleton/items-by-uri.ts'
import type { createKnownFollowers } from '../skeleton/known-followers.ts'
import type { createListFeedSkeleton } from '../skeleton/list-feed.ts'
import type { ListPages } from '../skeleton/list-pages.ts'
import type { Notifications } from '../skeleton/notifications.ts'
import type { createOwnRecords } from '../skeleton/own-records.ts'
import type { createPopularRecords } from '../skeleton/popular-records.ts'
import type { createPostsByUri } from '../skeleton/posts-by-uri.ts'
import type { RecordLikes } from '../skeleton/record-likes.ts'
import type { Records } from '../skeleton/records.ts'
import type { ActorSearcher } from '../skeleton/search/actors.ts'
import type { PostSearcher } from '../skeleton/search/posts.ts'
import type { createThreads } from '../skeleton/thread.ts'
import type { createTimelineSkeleton } from '../skeleton/timeline.ts'
import type { createTimelineGaps } from '../skeleton/timeline-gaps.ts'
import type { Trends } from '../skeleton/trends.ts'
import type { UnderWay } from '../skeleton/under-way.ts'
import type { ActorNames } from './actor-names.ts'
import type { Arrivals } from './arrivals.ts'
import type { Counted } from './counted.ts'
import type { Generators } from './feed-generator.ts'
import type { FirstPage } from './first-page.ts'
import type { Suggestions } from './suggestions.ts'
import type { Wanted } from './wanted.ts'
import type { WholeItems } from './whole-items.ts'

export type Serving = {
  /** How much the index holds. */
  scope: Scope
  /** A public AppView; undefined where the operator wants none. */
  elsewhere: Elsewhere | undefined
  /** What was counted before we counted; undefined together with `elsewhere`. */
  counted: Counted | undefined
  postsByUri: ReturnType<typeof createPostsByUri>
  actors: ActorReader
  graph: FollowGraphReader
  hydrator: Hydrator
  fragments: Fragments
  writer: Writer
  resolver: Pick<Resolver, 'resolve'>
  /** DIDs. */
  moderationServices: ReadonlySet<string>
  fetch: GuardedFetch
  accounts: Accounts
  records: Records
  firstPage: FirstPage
  timeline: ReturnType<typeof createTimelineSkeleton>
  authorFeed: ReturnType<typeof createAuthorFeedSkeleton>
  lists: ReturnType<typeof createAccountLists>
  listPages: ListPages
  listFeed: ReturnType<typeof createListFeedSkeleton>
  bookmarks: ReturnType<typeof createBookmarkPages>
  drafts: ReturnType<typeof createDraftPages>
  preferencesOf: ReturnType<typeof createPreferencesOf>
  knownFollowers: ReturnType<typeof createKnownFollowers>
  timelineGaps: ReturnType<typeof createTimelineGaps>
  notifications: Notifications
  names: ActorNames
  ownRecords: ReturnType<typeof createOwnRecords>
  popularRecords: ReturnType<typeof createPopularRecords>
  itemsByUri: ReturnType<typeof createItemsByUri>
  generators: Generators
  arrivals: Arrivals
  underWay: UnderWay
  suggestions: Suggestions
  trends: Trends
  threads: ReturnType<typeof createThreads>
  engagement: ReturnType<typeof createEngagement>
  recordLikes: RecordLikes
  searchActors: ActorSearcher
  searchPosts: PostSearcher
  wanted: Wanted
  wholeItems: WholeItems
}

/** Who asks, as hydration knows it. */
export function viewerOf(actors: ActorReader, did: string): NonNullable<Viewer>
export function viewerOf(actors: ActorReader, did: string | undefined): Viewer
export function viewerOf(actors: ActorReader, did: string | undefined): Viewer {
  return did === undefined ? undefined : { uid: actors.uidOf(did), did }
}
