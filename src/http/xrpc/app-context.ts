// What the methods are made of: every handler takes the parts of this that it needs.

import type { ViewCache } from '../../answers/cache/view-cache.ts'
import type { Hydrator } from '../../answers/hydrate/hydrator-types.ts'
import type { Viewer } from '../../answers/hydrate/types.ts'
import type { createPreferencesOf } from '../../answers/skeleton/actor-preferences.ts'
import type { createAuthorFeedSkeleton } from '../../answers/skeleton/author-feed.ts'
import type { createBookmarkPages } from '../../answers/skeleton/bookmarks.ts'
import type { createDraftPages } from '../../answers/skeleton/drafts.ts'
import type { createEngagement } from '../../answers/skeleton/engagement.ts'
import type { createAccountLists } from '../../answers/skeleton/follow-lists.ts'
import type { createKnownFollowers } from '../../answers/skeleton/known-followers.ts'
import type { createListFeedSkeleton } from '../../answers/skeleton/list-feed.ts'
import type { ListPages } from '../../answers/skeleton/list-pages.ts'
import type { Notifications } from '../../answers/skeleton/notifications.ts'
import type { createOwnRecords } from '../../answers/skeleton/own-records.ts'
import type { createPopularRecords } from '../../answers/skeleton/popular-records.ts'
import type { RecordLikes } from '../../answers/skeleton/record-likes.ts'
import type { ActorSearcher } from '../../answers/skeleton/search/actors.ts'
import type { PostSearcher } from '../../answers/skeleton/search/posts.ts'
import type { createThreads } from '../../answers/skeleton/thread.ts'
import type { createTimelineSkeleton } from '../../answers/skeleton/timeline.ts'
import type { createTimelineGaps } from '../../answers/skeleton/timeline-gaps.ts'
import type { Trends } from '../../answers/skeleton/trends.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { ActorReader, FollowGraphReader } from '../../data/graph/types.ts'
import type { Accounts } from '../../data/store/read/accounts.ts'
import type { createItemsByUri } from '../../data/store/read/items-by-uri.ts'
import type { createPostsByUri } from '../../data/store/read/posts-by-uri.ts'
import type { Records } from '../../data/store/read/records-by-key.ts'
import type { UnderWay } from '../../data/store/read/under-way.ts'
import type { Scope } from '../../sources/appview/coverage.ts'
import type { Fallback } from '../../sources/appview/fallback.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { ActorNames } from './actor-names.ts'
import type { Counted } from './counted.ts'
import type { Generators } from './feed-generator.ts'
import type { FetchRequests } from './fetch-requests.ts'
import type { FirstNotifications } from './first-notifications.ts'
import type { FirstPage } from './first-page.ts'
import type { StrangersPages } from './strangers-pages.ts'
import type { Suggestions } from './suggestions.ts'
import type { Waits } from './waits.ts'
import type { WholeItems } from './whole-items.ts'

export type AppContext = {
  /** How much the index holds. */
  scope: Scope
  /** A public AppView; undefined where the operator wants none. */
  fallback: Fallback | undefined
  /** What was counted before we counted; undefined together with `elsewhere`. */
  counted: Counted | undefined
  postsByUri: ReturnType<typeof createPostsByUri>
  actors: ActorReader
  graph: FollowGraphReader
  hydrator: Hydrator
  viewCache: ViewCache
  writer: Writer
  resolver: Pick<Resolver, 'resolve'>
  /** DIDs. */
  moderationServices: ReadonlySet<string>
  fetch: GuardedFetch
  accounts: Accounts
  records: Records
  firstNotifications: FirstNotifications
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
  waits: Waits
  underWay: UnderWay
  strangersPages: StrangersPages
  suggestions: Suggestions
  trends: Trends
  threads: ReturnType<typeof createThreads>
  engagement: ReturnType<typeof createEngagement>
  recordLikes: RecordLikes
  searchActors: ActorSearcher
  searchPosts: PostSearcher
  fetchRequests: FetchRequests
  wholeItems: WholeItems
}

/** Who asks, as hydration knows it. */
export function viewerOf(actors: ActorReader, did: string): NonNullable<Viewer>
export function viewerOf(actors: ActorReader, did: string | undefined): Viewer
export function viewerOf(actors: ActorReader, did: string | undefined): Viewer {
  return did === undefined ? undefined : { uid: actors.uidOf(did), did }
}
