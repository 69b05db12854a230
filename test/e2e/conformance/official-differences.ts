// Intended differences between the official AppView on our dataplane and Slipstream's own XRPC, with reasons.

import type { Body } from './ask.ts'

export type Answer = { status: number; body: Body }

const OURS_ALONE = 'Slipstream only'
const FROM_ELSEWHERE =
  'the frontend asks another Bluesky service (topics, suggestions), which is missing here'
const ON_PDS = 'the PDS stores them; the frontend lacks the method'

/** Methods whose answers are not compared. */
export const unlike: Record<string, string> = {
  'io.slipstream.feed.getPosition': OURS_ALONE,
  'io.slipstream.feed.getPostReasons': OURS_ALONE,
  'io.slipstream.feed.getTimelineGaps': OURS_ALONE,
  'io.slipstream.feed.getTimelineState': OURS_ALONE,
  'io.slipstream.feed.getKnownLikers': OURS_ALONE,
  'io.slipstream.graph.getSocialProof': OURS_ALONE,
  'io.slipstream.notification.getPushKey': OURS_ALONE,
  'io.slipstream.notification.getQuietHours': OURS_ALONE,
  'io.slipstream.video.getStats': OURS_ALONE,
  'app.bsky.actor.getPreferences': ON_PDS,
  'app.bsky.ageassurance.getConfig': 'Bluesky’s rules are in the frontend’s code; we have none',
  'app.bsky.unspecced.getConfig': 'the frontend’s own settings',
  'app.bsky.feed.searchPostsV2': 'switched off in the frontend without its feature gates',
  'app.bsky.graph.searchStarterPacksV2': 'the frontend always says hitsTotal, and we do not count',
  'app.bsky.notification.getUnreadCount':
    'the frontend also counts accounts that the member blocks or mutes; we leave those out',
  'app.bsky.unspecced.getTaggedSuggestions': 'the frontend has no editor beneath it',
  'app.bsky.unspecced.getOnboardingSuggestedStarterPacks': FROM_ELSEWHERE,
  'app.bsky.unspecced.getSuggestedFeeds': FROM_ELSEWHERE,
  'app.bsky.unspecced.getSuggestedOnboardingUsers': FROM_ELSEWHERE,
  'app.bsky.unspecced.getSuggestedStarterPacks': FROM_ELSEWHERE,
  'app.bsky.unspecced.getSuggestedUsers': FROM_ELSEWHERE,
  'app.bsky.unspecced.getSuggestedUsersForDiscover': FROM_ELSEWHERE,
  'app.bsky.unspecced.getSuggestedUsersForExplore': FROM_ELSEWHERE,
  'app.bsky.unspecced.getSuggestedUsersForSeeMore': FROM_ELSEWHERE,
  'app.bsky.unspecced.getTrendingTopics': FROM_ELSEWHERE,
  'app.bsky.unspecced.getTrends': FROM_ELSEWHERE,
}

const MEMBERS_ONLY =
  'ours hides posts of accounts visible only to signed-in viewers; the reference leaves that to the client'

/** Methods whose answers to visitors are not compared. */
export const unlikeForVisitors: Record<string, string> = {
  'app.bsky.feed.getListFeed': MEMBERS_ONLY,
  'app.bsky.feed.getPostThread': MEMBERS_ONLY,
  'app.bsky.feed.getQuotes': MEMBERS_ONLY,
  'app.bsky.feed.searchPosts': MEMBERS_ONLY,
  'app.bsky.graph.getSuggestedFollowsByActor': 'ours has suggestions for visitors too',
}

/** Fields that only one of them has. */
const unlikeFields: Record<string, string> = {
  startCursor: 'Slipstream only: a proposal to the lexicon',
  hitsTotal: 'the frontend does not count',
  knownLikers:
    'ours has them in all feeds and counts all likes; nobody whom the viewer mutes is named',
  activitySubscription:
    'the reference shows it on known followers too, ours only on the requested profile',
}

const NO_SEARCH = 'without a search service the reference searches its tables, in another order'
const OF_TABLES = 'the reference suggests rows of a table that Bluesky fills'
const IN_NO_ORDER = 'known followers are unordered in the reference'
const FAILS = 'the reference answers 500 about an account on two lists that one account blocks'

/** Methods whose answers on its own dataplane are not compared with those on ours. */
export const unlikeOnPostgres: Record<string, string> = {
  'app.bsky.actor.getPreferences': ON_PDS,
  'app.bsky.actor.getSuggestions': OF_TABLES,
  'app.bsky.actor.searchActors': NO_SEARCH,
  'app.bsky.actor.searchActorsTypeahead': NO_SEARCH,
  'app.bsky.feed.getSuggestedFeeds': OF_TABLES,
  'app.bsky.feed.searchPosts': NO_SEARCH,
  'app.bsky.graph.getKnownFollowers': IN_NO_ORDER,
  'app.bsky.graph.getRelationships': FAILS,
  'app.bsky.graph.searchStarterPacks': NO_SEARCH,
  'app.bsky.graph.searchStarterPacksV2': NO_SEARCH,
  'app.bsky.notification.getUnreadCount':
    'its indexer sees a subscription a moment later, and does not notify of posts before that',
  'app.bsky.unspecced.getPopularFeedGenerators': OF_TABLES,
  'app.bsky.unspecced.getPostThreadV2': FAILS,
}

/** The same, for members only. */
export const unlikeOnPostgresForMembers: Record<string, string> = {
  'app.bsky.feed.getLikes': FAILS,
  'app.bsky.feed.getPostThread': FAILS,
  'app.bsky.feed.getQuotes': FAILS,
  'app.bsky.graph.getBlocks': FAILS,
  'app.bsky.graph.getFollowers': FAILS,
  'app.bsky.notification.listNotifications': FAILS,
  'app.bsky.unspecced.getPostThreadOtherV2': FAILS,
}

const GOES_ON_COUNTING = 'its indexer still counts the actions of deleted accounts'
const ITS_CLOCK = 'the time when its own indexer processed it'

const unlikeFieldsOnPostgres: Record<string, string> = {
  indexedAt: ITS_CLOCK,
  labels: 'a service that is missing here fills its labels table',
  followersCount: GOES_ON_COUNTING,
  likeCount: GOES_ON_COUNTING,
  quoteCount: GOES_ON_COUNTING,
  replyCount: GOES_ON_COUNTING,
  knownFollowers: IN_NO_ORDER,
}

/** By method: fields of its own answers, not of records. */
const furtherFieldsOnPostgres: Record<string, Record<string, string>> = {
  'app.bsky.bookmark.getBookmarks': { createdAt: ITS_CLOCK },
  'app.bsky.draft.getDrafts': { createdAt: ITS_CLOCK, updatedAt: ITS_CLOCK },
}

/** The answer without the known differences; each server has its own cursors. */
export function differences(answer: Answer): object {
  return reduced(answer, unlikeFields)
}

export function differencesOnPostgres(answer: Answer, nsid: string): object {
  return reduced(answer, { ...unlikeFieldsOnPostgres, ...furtherFieldsOnPostgres[nsid] })
}

function reduced({ status, body }: Answer, fields: Record<string, string>): object {
  if (status !== 200) return { status }
  const { cursor, ...rest } = body
  return { status, hasMore: cursor !== undefined, body: without(rest, fields) }
}

function without(value: unknown, fields: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, fields))
  if (typeof value !== 'object' || value === null) return value
  const filtered = Object.entries(value).filter(([name]) => !(name in fields))
  return Object.fromEntries(filtered.map(([name, item]) => [name, without(item, fields)]))
}
