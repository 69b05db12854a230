// All methods of this server, sorted by name: adding one takes a file and a line here, `npm run docs` does
// the rest. Methods that differ only in name share a file.

import type { Method } from '../server/method.ts'
import { suggestedUsers } from './accounts/suggested-accounts.ts'
import { getActorPreferences } from './app/bsky/actor/getPreferences.ts'
import { getProfile } from './app/bsky/actor/getProfile.ts'
import { getProfiles } from './app/bsky/actor/getProfiles.ts'
import { getSuggestions } from './app/bsky/actor/getSuggestions.ts'
import { putActorPreferences } from './app/bsky/actor/putPreferences.ts'
import { searchActors } from './app/bsky/actor/searchActors.ts'
import { searchActorsTypeahead } from './app/bsky/actor/searchActorsTypeahead.ts'
import { getAgeAssuranceConfig } from './app/bsky/ageassurance/getConfig.ts'
import { getState } from './app/bsky/ageassurance/getState.ts'
import { createBookmark } from './app/bsky/bookmark/createBookmark.ts'
import { deleteBookmark } from './app/bsky/bookmark/deleteBookmark.ts'
import { getBookmarks } from './app/bsky/bookmark/getBookmarks.ts'
import { createDraft } from './app/bsky/draft/createDraft.ts'
import { deleteDraft } from './app/bsky/draft/deleteDraft.ts'
import { getDrafts } from './app/bsky/draft/getDrafts.ts'
import { updateDraft } from './app/bsky/draft/updateDraft.ts'
import { getEmbedExternalView } from './app/bsky/embed/getEmbedExternalView.ts'
import { getActorFeeds } from './app/bsky/feed/getActorFeeds.ts'
import { getActorLikes } from './app/bsky/feed/getActorLikes.ts'
import { getAuthorFeed } from './app/bsky/feed/getAuthorFeed.ts'
import { getFeed } from './app/bsky/feed/getFeed.ts'
import { getFeedGenerator } from './app/bsky/feed/getFeedGenerator.ts'
import { getFeedGenerators } from './app/bsky/feed/getFeedGenerators.ts'
import { getLikes } from './app/bsky/feed/getLikes.ts'
import { getListFeed } from './app/bsky/feed/getListFeed.ts'
import { getPosts } from './app/bsky/feed/getPosts.ts'
import { getPostThread } from './app/bsky/feed/getPostThread.ts'
import { getQuotes } from './app/bsky/feed/getQuotes.ts'
import { getRepostedBy } from './app/bsky/feed/getRepostedBy.ts'
import { getTimeline } from './app/bsky/feed/getTimeline.ts'
import { searchPosts } from './app/bsky/feed/searchPosts.ts'
import { searchPostsV2 } from './app/bsky/feed/searchPostsV2.ts'
import { sendInteractions } from './app/bsky/feed/sendInteractions.ts'
import { getActorStarterPacks } from './app/bsky/graph/getActorStarterPacks.ts'
import { getBlocks } from './app/bsky/graph/getBlocks.ts'
import { getFollowers } from './app/bsky/graph/getFollowers.ts'
import { getFollows } from './app/bsky/graph/getFollows.ts'
import { getKnownFollowers } from './app/bsky/graph/getKnownFollowers.ts'
import { getList } from './app/bsky/graph/getList.ts'
import { getListBlocks } from './app/bsky/graph/getListBlocks.ts'
import { getListMutes } from './app/bsky/graph/getListMutes.ts'
import { getLists } from './app/bsky/graph/getLists.ts'
import { getListsWithMembership } from './app/bsky/graph/getListsWithMembership.ts'
import { getMutes } from './app/bsky/graph/getMutes.ts'
import { getRelationships } from './app/bsky/graph/getRelationships.ts'
import { getStarterPack } from './app/bsky/graph/getStarterPack.ts'
import { getStarterPacks } from './app/bsky/graph/getStarterPacks.ts'
import { getStarterPacksWithMembership } from './app/bsky/graph/getStarterPacksWithMembership.ts'
import { getSuggestedFollowsByActor } from './app/bsky/graph/getSuggestedFollowsByActor.ts'
import { muteActor } from './app/bsky/graph/muteActor.ts'
import { muteActorList } from './app/bsky/graph/muteActorList.ts'
import { muteThread } from './app/bsky/graph/muteThread.ts'
import { searchStarterPacks } from './app/bsky/graph/searchStarterPacks.ts'
import { searchStarterPacksV2 } from './app/bsky/graph/searchStarterPacksV2.ts'
import { unmuteActor } from './app/bsky/graph/unmuteActor.ts'
import { unmuteActorList } from './app/bsky/graph/unmuteActorList.ts'
import { unmuteThread } from './app/bsky/graph/unmuteThread.ts'
import { getServices } from './app/bsky/labeler/getServices.ts'
import { getPreferences } from './app/bsky/notification/getPreferences.ts'
import { getUnreadCount } from './app/bsky/notification/getUnreadCount.ts'
import { listActivitySubscriptions } from './app/bsky/notification/listActivitySubscriptions.ts'
import { listNotifications } from './app/bsky/notification/listNotifications.ts'
import { putActivitySubscription } from './app/bsky/notification/putActivitySubscription.ts'
import { putPreferences } from './app/bsky/notification/putPreferences.ts'
import { putPreferencesV2 } from './app/bsky/notification/putPreferencesV2.ts'
import { updateSeen } from './app/bsky/notification/updateSeen.ts'
import { getAgeAssuranceState } from './app/bsky/unspecced/getAgeAssuranceState.ts'
import { getConfig } from './app/bsky/unspecced/getConfig.ts'
import { getPostThreadOtherV2 } from './app/bsky/unspecced/getPostThreadOtherV2.ts'
import { getPostThreadV2 } from './app/bsky/unspecced/getPostThreadV2.ts'
import { getTaggedSuggestions } from './app/bsky/unspecced/getTaggedSuggestions.ts'
import { getTrendingTopics } from './app/bsky/unspecced/getTrendingTopics.ts'
import { getTrends } from './app/bsky/unspecced/getTrends.ts'
import { type AppContext, type AppContextOptions, createAppContext } from './app-context.ts'
import { bind } from './bind.ts'
import { getAccountInfos } from './com/atproto/admin/getAccountInfos.ts'
import { getSubjectStatus } from './com/atproto/admin/getSubjectStatus.ts'
import { updateSubjectStatus } from './com/atproto/admin/updateSubjectStatus.ts'
import { resolveHandle } from './com/atproto/identity/resolveHandle.ts'
import { queryLabels } from './com/atproto/label/queryLabels.ts'
import { getRecord } from './com/atproto/repo/getRecord.ts'
import type { MethodDefinition } from './define.ts'
import type { Elsewhere } from './elsewhere.ts'
import { popularFeeds } from './feeds/popular-feeds.ts'
import { getInternalProfiles } from './internal/bsky/actor/getProfiles.ts'
import { getKnownLikers } from './io/slipstream/feed/getKnownLikers.ts'
import { getTimelineGaps } from './io/slipstream/feed/getTimelineGaps.ts'
import { getSocialProof } from './io/slipstream/graph/getSocialProof.ts'
import { redeemInvite } from './io/slipstream/server/redeemInvite.ts'
import { popularPacks } from './lists/popular-packs.ts'

export const methods: readonly MethodDefinition[] = [
  getActorPreferences,
  getProfile,
  getProfiles,
  getSuggestions,
  putActorPreferences,
  searchActors,
  searchActorsTypeahead,
  getAgeAssuranceConfig,
  getState,
  createBookmark,
  deleteBookmark,
  getBookmarks,
  createDraft,
  deleteDraft,
  getDrafts,
  updateDraft,
  getEmbedExternalView,
  getActorFeeds,
  getActorLikes,
  getAuthorFeed,
  getFeed,
  getFeedGenerator,
  getFeedGenerators,
  getLikes,
  getListFeed,
  getPostThread,
  getPosts,
  getQuotes,
  getRepostedBy,
  popularFeeds('app.bsky.feed.getSuggestedFeeds'),
  getTimeline,
  searchPosts,
  searchPostsV2,
  sendInteractions,
  getActorStarterPacks,
  getBlocks,
  getFollowers,
  getFollows,
  getKnownFollowers,
  getList,
  getListBlocks,
  getListMutes,
  getLists,
  getListsWithMembership,
  getMutes,
  getRelationships,
  getStarterPack,
  getStarterPacks,
  getStarterPacksWithMembership,
  getSuggestedFollowsByActor,
  muteActor,
  muteActorList,
  muteThread,
  searchStarterPacks,
  searchStarterPacksV2,
  unmuteActor,
  unmuteActorList,
  unmuteThread,
  getServices,
  getPreferences,
  getUnreadCount,
  listActivitySubscriptions,
  listNotifications,
  putActivitySubscription,
  putPreferences,
  putPreferencesV2,
  updateSeen,
  getAgeAssuranceState,
  getConfig,
  popularPacks('app.bsky.unspecced.getOnboardingSuggestedStarterPacks'),
  popularFeeds('app.bsky.unspecced.getPopularFeedGenerators'),
  getPostThreadOtherV2,
  getPostThreadV2,
  popularFeeds('app.bsky.unspecced.getSuggestedFeeds'),
  suggestedUsers('app.bsky.unspecced.getSuggestedOnboardingUsers'),
  popularPacks('app.bsky.unspecced.getSuggestedStarterPacks'),
  suggestedUsers('app.bsky.unspecced.getSuggestedUsers'),
  suggestedUsers('app.bsky.unspecced.getSuggestedUsersForDiscover'),
  suggestedUsers('app.bsky.unspecced.getSuggestedUsersForExplore'),
  suggestedUsers('app.bsky.unspecced.getSuggestedUsersForSeeMore'),
  getTaggedSuggestions,
  getTrendingTopics,
  getTrends,
  getAccountInfos,
  getSubjectStatus,
  updateSubjectStatus,
  resolveHandle,
  queryLabels,
  getRecord,
  getInternalProfiles,
  getKnownLikers,
  getTimelineGaps,
  getSocialProof,
  redeemInvite,
]

export function createMethods(
  options: AppContextOptions,
  ofFeatures: readonly MethodDefinition[] = [],
): Method[] {
  return bindMethods(createAppContext(options), ofFeatures)
}

/** Binds all methods to one context for the server. */
export function bindMethods(
  app: AppContext,
  ofFeatures: readonly MethodDefinition[] = [],
  elsewhere?: Pick<Elsewhere, 'around'>,
): Method[] {
  return [...methods, ...ofFeatures].map((method) => bind(app, method, elsewhere))
}
