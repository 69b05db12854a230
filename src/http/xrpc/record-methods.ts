// Methods about feeds, starter packs, suggestions and trends.

import type { Method } from '../server/method.ts'
import { getSuggestions } from './app/bsky/actor/getSuggestions.ts'
import { getActorFeeds } from './app/bsky/feed/getActorFeeds.ts'
import { getFeed } from './app/bsky/feed/getFeed.ts'
import { getFeedGenerator } from './app/bsky/feed/getFeedGenerator.ts'
import { getFeedGenerators } from './app/bsky/feed/getFeedGenerators.ts'
import { sendInteractions } from './app/bsky/feed/sendInteractions.ts'
import { getActorStarterPacks } from './app/bsky/graph/getActorStarterPacks.ts'
import { getStarterPack } from './app/bsky/graph/getStarterPack.ts'
import { getStarterPacks } from './app/bsky/graph/getStarterPacks.ts'
import { getStarterPacksWithMembership } from './app/bsky/graph/getStarterPacksWithMembership.ts'
import { getSuggestedFollowsByActor } from './app/bsky/graph/getSuggestedFollowsByActor.ts'
import { getTaggedSuggestions } from './app/bsky/unspecced/getTaggedSuggestions.ts'
import { getTrendingTopics } from './app/bsky/unspecced/getTrendingTopics.ts'
import { getTrends } from './app/bsky/unspecced/getTrends.ts'
import type { AppContext } from './app-context.ts'
import { popularFeeds } from './popular-feeds.ts'
import { popularPacks } from './popular-packs.ts'
import { suggestedUsers } from './suggested-accounts.ts'

export function recordMethods(serving: AppContext): Method[] {
  return [
    getFeed(serving),
    getFeedGenerator(serving),
    getFeedGenerators(serving),
    getActorFeeds(serving),
    sendInteractions(serving),
    popularFeeds(serving, 'app.bsky.feed.getSuggestedFeeds'),
    popularFeeds(serving, 'app.bsky.unspecced.getSuggestedFeeds'),
    popularFeeds(serving, 'app.bsky.unspecced.getPopularFeedGenerators'),
    getStarterPack(serving),
    getStarterPacks(serving),
    getActorStarterPacks(serving),
    getStarterPacksWithMembership(serving),
    popularPacks(serving, 'app.bsky.unspecced.getSuggestedStarterPacks'),
    popularPacks(serving, 'app.bsky.unspecced.getOnboardingSuggestedStarterPacks'),
    getSuggestions(serving),
    getSuggestedFollowsByActor(serving),
    suggestedUsers(serving, 'getSuggestedUsers'),
    suggestedUsers(serving, 'getSuggestedUsersForDiscover'),
    suggestedUsers(serving, 'getSuggestedUsersForExplore'),
    suggestedUsers(serving, 'getSuggestedUsersForSeeMore'),
    suggestedUsers(serving, 'getSuggestedOnboardingUsers'),
    getTrends(serving),
    getTrendingTopics(serving),
    getTaggedSuggestions(serving),
  ]
}
