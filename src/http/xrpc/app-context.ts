// Everything that the handlers of a serving thread read with, built once. A handler names the parts of it
// that it needs (define.ts).

import type { FollowGraphReader, TimelineReader } from '@slipstream/follow-graph'
import { createViewCache, type WatchedCache } from '../../answers/cache/view-cache.ts'
import type { Hydrator } from '../../answers/hydrate/hydrator-types.ts'
import { createAuthorFeedSkeleton } from '../../answers/skeleton/author-feed.ts'
import { createBookmarkPages } from '../../answers/skeleton/bookmarks.ts'
import { createColdStarts } from '../../answers/skeleton/cold-starts.ts'
import { createDraftPages } from '../../answers/skeleton/drafts.ts'
import { createEngagement } from '../../answers/skeleton/engagement.ts'
import { createAccountLists } from '../../answers/skeleton/follow-lists.ts'
import { createKnownFollowers } from '../../answers/skeleton/known-followers.ts'
import { createListFeedSkeleton } from '../../answers/skeleton/list-feed.ts'
import { createListPages } from '../../answers/skeleton/list-pages.ts'
import { createNotifications } from '../../answers/skeleton/notifications.ts'
import { createOwnRecords } from '../../answers/skeleton/own-records.ts'
import { createPopularRecords } from '../../answers/skeleton/popular-records.ts'
import { createRecordLikes } from '../../answers/skeleton/record-likes.ts'
import { createSearches, type Searching } from '../../answers/skeleton/search/searches.ts'
import { createThreads } from '../../answers/skeleton/thread.ts'
import {
  createTimelineHeads,
  createTimelineOnce,
  createTimelineSteps,
  type TimelineContext,
} from '../../answers/skeleton/timeline.ts'
import { createTimelineGaps } from '../../answers/skeleton/timeline-gaps.ts'
import { createTrends } from '../../answers/skeleton/trends.ts'
import { NO_TAG_RULES, type TagRules } from '../../base/atproto/tag-rules.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import type { SharedBudget } from '../../data/shared-memory/shared-budget.ts'
import type { Db } from '../../data/store/db.ts'
import { countMutes } from '../../data/store/private/mutes.ts'
import { findActorPreferences } from '../../data/store/private/preferences.ts'
import { countThreadMutes } from '../../data/store/private/thread-mutes.ts'
import { createAccounts } from '../../data/store/read/accounts/accounts.ts'
import { prepareTags } from '../../data/store/read/moderation/moderation-tags.ts'
import { createPostsByUri } from '../../data/store/read/posts/posts-by-uri.ts'
import { createRecords } from '../../data/store/read/records/records-by-key.ts'
import { createItemsByUri } from '../../data/store/read/timelines/items-by-uri.ts'
import { createUnderWay } from '../../data/store/read/under-way.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { Quotas } from '../../sources/quota.ts'
import { type Invites, NO_INVITES } from './accounts/invites.ts'
import { createSuggestions } from './accounts/suggestions.ts'
import { createGenerators } from './feeds/feed-generator.ts'
import { createOwnFeeds } from './feeds/own-feeds.ts'
import { NOBODY_ELSE, type PostsElsewhere } from './feeds/posts-elsewhere.ts'
import { createModeration, type Moderation, refuseDecisions } from './moderation.ts'
import { createActorNames } from './naming/actor-names.ts'
import { createPublishedRev } from './repo-rev.ts'
import { chargedFetch } from './strangers/charged-fetch.ts'
import { isStoredAccount, type Scope } from './strangers/holdings.ts'
import { createOutsideListing } from './strangers/outside-listing.ts'
import { createStrangersPages } from './strangers/strangers-pages.ts'
import { createCompleteItems } from './waiting/complete-items.ts'
import { createFetchRequests } from './waiting/fetch-requests.ts'
import { createFirstNotifications } from './waiting/first-notifications.ts'
import { createFirstPage, createPresentedWhileFilling } from './waiting/first-page.ts'
import { createMissingWaits } from './waiting/missing-waits.ts'
import { createNameWaits } from './waiting/name-waits.ts'
import { createNewcomerWaits } from './waiting/newcomer-waits.ts'
import { createUnknownThings } from './waiting/unknown-things.ts'
import { createWaits } from './waiting/waits.ts'

export type AppContextOptions = {
  /** A read-only connection. */
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  timelines: TimelineReader
  /** Notified of home timeline requests, if several nodes share them. */
  homes?: { requested(viewer: { did: string; uid: number }): Promise<boolean> | undefined }
  /** Whether a lossy timeline keeps an item: the same draw that filled the rings. */
  isDrawn: TimelineContext['isDrawn']
  hydrator: Hydrator
  /** Searches on another thread; by default, on the calling one. */
  search?: Searching | undefined
  writer: Writer
  resolver: Pick<Resolver, 'resolve' | 'resolveHandle'>
  fetch: GuardedFetch
  /** Shares in what other servers allow; unset: unlimited. */
  quotas?: Quotas
  /** DIDs of the operator's moderation services. */
  moderationServices?: readonly string[]
  /** Effects of moderators' tags; none by default. */
  tagRules?: TagRules | undefined
  /** Budget for looking up unknown accounts; unset: unlimited. */
  lookups?: SharedBudget
  /** How long a newcomer's page waits for their cold start; unset: there are no cold starts. */
  firstPageMaxWaitMs?: number
  /** How long a page waits for names that were never looked up; 0 by default. */
  namesMaxWaitMs?: number
  /**
   * Where the writer records invalidations (data/shared-memory/invalidation-ring.ts); without it
   * nothing is cached.
   */
  invalidations?: SharedArrayBuffer
  /** How much the index holds; `community` by default. */
  scope?: Scope
  /** Who knows posts that we don't hold; by default nobody. */
  elsewhere?: PostsElsewhere | undefined
  invites?: Invites
  /** Applies moderators' decisions made by XRPC; unset: refused. */
  decide?: Moderation['decide']
  /** Limit of the view cache. */
  maxCachedBytes?: number
  /** Called with the view cache, for monitoring and resizing. */
  onCached?: (cache: WatchedCache) => void
}

const DEFAULT_CACHED_BYTES = 96 << 20

export type AppContext = ReturnType<typeof createAppContext>

export function createAppContext(given: AppContextOptions) {
  const parts = { ...given, fetch: chargedFetch(given.fetch) }
  const { db, actors, graph, scope = 'community', tagRules = NO_TAG_RULES } = parts
  const accounts = createAccounts(db)
  const fetchRequests = createFetchRequests(parts)
  const invalidations = () => parts.invalidations && new InvalidationReader(parts.invalidations)
  const viewCache = createViewCache({
    hydrator: parts.hydrator,
    invalidations: invalidations(),
    maxBytes: parts.maxCachedBytes ?? DEFAULT_CACHED_BYTES,
  })
  parts.onCached?.(viewCache)
  const notifications = createNotifications({ db, graph, tagRules })
  const underWay = createUnderWay({ db, actors })
  const ofTimelines = { ...parts, feed: viewCache.feedOver(db) }
  const timeline = createTimelineOnce(ofTimelines)
  const waits = createNewcomerWaits()
  const records = createRecords(db)
  const postsByUri = createPostsByUri({ db, actors })
  const missingWaits = createMissingWaits({ actors, underWay, fetchRequests })
  return {
    ...parts,
    scope,
    quotas: parts.quotas,
    elsewhere: parts.elsewhere ?? NOBODY_ELSE,
    homes: parts.homes,
    lookups: parts.lookups,
    moderationServices: new Set(parts.moderationServices),
    tagRules,
    tags: prepareTags(db),
    postsByUri,
    viewCache,
    accounts,
    firstPage: createFirstPage({
      actors,
      timeline,
      waits,
      coldStarts: createColdStarts(db, invalidations()),
      maxWaitMs: parts.firstPageMaxWaitMs ?? 0,
    }),
    presentedWhileFilling: createPresentedWhileFilling(),
    records,
    timeline,
    timelineHeads: createTimelineHeads(ofTimelines),
    timelineSteps: createTimelineSteps(ofTimelines),
    authorFeed: createAuthorFeedSkeleton(db),
    lists: createAccountLists({ db, actors }),
    listPages: createListPages({ db, actors }),
    listFeed: createListFeedSkeleton({ db, actors, feed: viewCache.feedOver(db) }),
    muteCounts: createMuteCounts(db),
    bookmarks: createBookmarkPages(db),
    drafts: createDraftPages(db),
    preferencesOf: createPreferencesOf(db),
    notifications,
    firstNotifications: createFirstNotifications({
      actors,
      waits,
      hasBacklog: notifications.hasBacklog,
      isWaiting: (parts.firstPageMaxWaitMs ?? 0) > 0,
    }),
    knownFollowers: createKnownFollowers({ graph, actors }),
    timelineGaps: createTimelineGaps({ db, graph }),
    search: parts.search ?? createSearches(db),
    names: createActorNames({ ...parts, accounts }),
    ownRecords: createOwnRecords({ db, actors }),
    popularRecords: createPopularRecords({ db, actors }),
    itemsByUri: createItemsByUri({ db, actors }),
    generators: createGenerators({ ...parts, accounts }),
    ownFeeds: createOwnFeeds(),
    waits: createWaits(),
    underWay,
    completeItems: createCompleteItems({ actors, underWay, fetchRequests }),
    strangersPages: createStrangersPages({
      actors,
      underWay,
      fetchRequests,
      isStored: (uid) => isStoredAccount({ actors, scope }, uid),
    }),
    suggestions: createSuggestions({ graph, actors }),
    trends: createTrends({ db }),
    threads: createThreads(db),
    engagement: createEngagement({ db, actors }),
    recordLikes: createRecordLikes({ db, actors }),
    fetchRequests,
    outsideListing: createOutsideListing({ ...parts, accounts }),
    missingWaits,
    unknownThings: createUnknownThings({
      actors,
      scope,
      fetchRequests,
      missingWaits,
      postsByUri,
      resolver: parts.resolver,
      quotas: parts.quotas,
    }),
    nameWaits: createNameWaits({ actors, underWay }, { maxWaitMs: parts.namesMaxWaitMs ?? 0 }),
    publishedRev: createPublishedRev({ accounts, actors, invalidations: parts.invalidations }),
    invites: parts.invites ?? NO_INVITES,
    moderation: createModeration(db, parts.decide ?? refuseDecisions),
  }
}

/** Counts the accounts and threads that a member mutes: both are limited. */
function createMuteCounts(db: Db) {
  return {
    accounts: (uid: number) => countMutes(db, uid),
    threads: (uid: number) => countThreadMutes(db, uid),
  }
}

/** Returns preferences as they were put. */
function createPreferencesOf(db: Db): (uid: number) => unknown[] {
  return (uid) => JSON.parse(findActorPreferences(db, uid) ?? '[]')
}
