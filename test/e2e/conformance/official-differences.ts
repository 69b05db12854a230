// Where the official AppView on our dataplane answers otherwise than Slipstream's own XRPC, and why that is as
// it should be.

import type { Body } from './ask.ts'

export type Answer = { status: number; body: Body }

const OURS_ALONE = 'ours alone'
const FROM_ELSEWHERE =
  'the frontend asks another service of Bluesky’s (topics, suggestions), of which there is none here'
const ON_PDS = 'the PDS keeps it; the frontend does not have the method'

/** Questions whose answers are not compared. */
export const unlike: Record<string, string> = {
  'io.slipstream.feed.getTimelineGaps': OURS_ALONE,
  'io.slipstream.graph.getSocialProof': OURS_ALONE,
  'io.slipstream.notification.getPushKey': OURS_ALONE,
  'io.slipstream.video.getStats': OURS_ALONE,
  'app.bsky.actor.getPreferences': ON_PDS,
  'app.bsky.ageassurance.getConfig': 'Bluesky’s own rules are in the frontend’s code; we have none',
  'app.bsky.unspecced.getConfig': 'the frontend’s own settings',
  'app.bsky.feed.searchPostsV2': 'switched off in the frontend without its feature gates',
  'app.bsky.graph.searchStarterPacksV2': 'the frontend always says hitsTotal, and we do not count',
  'app.bsky.notification.getUnreadCount':
    'the frontend counts without filtering, also whom the member blocks or mutes; we leave those out',
  'app.bsky.unspecced.getTaggedSuggestions': 'there is no editor beneath the frontend',
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
  'ours shows visitors no post of those who want to be seen signed in alone; the reference leaves that to the client'

/** Questions whose answers to visitors are not compared. */
export const unlikeForVisitors: Record<string, string> = {
  'app.bsky.feed.getListFeed': MEMBERS_ONLY,
  'app.bsky.feed.getPostThread': MEMBERS_ONLY,
  'app.bsky.feed.getQuotes': MEMBERS_ONLY,
  'app.bsky.feed.searchPosts': MEMBERS_ONLY,
  'app.bsky.graph.getSuggestedFollowsByActor': 'ours suggests to visitors, too',
}

/** Fields that one of them leaves out. */
const unlikeFields: Record<string, string> = {
  startCursor: 'ours alone: a proposal to the lexicon',
  hitsTotal: 'the frontend does not count',
  activitySubscription:
    'the reference shows it on known followers too, ours on the profile asked for alone',
}

/** The answer without what is named to differ; cursors are each one's own. */
export function differences({ status, body }: Answer): object {
  if (status !== 200) return { status }
  const { cursor, ...rest } = body
  return { status, hasMore: cursor !== undefined, body: without(rest) }
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([name]) => !(name in unlikeFields))
  return Object.fromEntries(fields.map(([name, one]) => [name, without(one)]))
}
