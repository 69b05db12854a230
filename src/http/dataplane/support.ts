// How far each call of bsky.Service and bsync.Service is answered: one table, which says it in docs/DATAPLANE.md, too.
// `whole`: as the reference does. Text: in part, and why. A call that is not answered says so by its name.

import type { Service } from './generated/bsky-pb.ts'
import type { Service as BsyncService } from './generated/bsync-pb.ts'

export type RpcName = keyof typeof Service.method
export type Support = 'whole' | { partly: string } | { empty: string } | { unimplemented: string }

const NOT_CALLED = { unimplemented: 'the frontend does not call it' }
const REBUILT = {
  partly:
    'built anew from its row, but for unusual ones; a createdAt in another form or further fields may be lost, and then the CID is another',
}
const OUR_CURSOR = { partly: 'cursors are ours, not the reference’s' }
const MOCK = { empty: 'as in the reference outside of Bluesky’s own network' }

export const support: Record<RpcName, Support> = {
  ...all(REBUILT, [
    'getBlockRecords',
    'getFollowRecords',
    'getLikeRecords',
    'getListBlockRecords',
    'getListItemRecords',
    'getRepostRecords',
  ]),
  ...all('whole', [
    'getFeedGeneratorRecords',
    'getListRecords',
    'getPostRecords',
    'getProfileRecords',
    'getActorChatDeclarationRecords',
    'getNotificationDeclarationRecords',
    'getGermDeclarationRecords',
    'getStatusRecords',
    'getThreadGateRecords',
    'getPostgateRecords',
    'getLabelerRecords',
    'getStarterPackRecords',
    'getVerificationRecords',
    'getActorFollowsActors',
    'getLikesByActorAndSubjects',
    'getRepostsByActorAndSubjects',
    'getInteractionCounts',
    'getCountsForUsers',
    'getStarterPackCounts',
    'getListCounts',
    'getListCount',
    'getRelationships',
    'getBlockExistence',
    'getBidirectionalBlock',
    'getBidirectionalBlockViaList',
    'getActorMutesActor',
    'getActorMutesActorViaList',
    'getListMembership',
    'getMutelistSubscription',
    'getBlocklistSubscription',
    'getThreadMutesOnSubjects',
    'getActorLists',
    'getMutelistSubscriptions',
    'getBlocklistSubscriptions',
    'getActorFeeds',
    'getActorStarterPacks',
    'getKnownLikers',
    'getAuthorFeed',
    'getTimeline',
    'getListFeed',
    'getLabels',
    'getLatestRev',
    'getIdentityByHandle',
    'getBookmarksByActorAndSubjects',
    'getActivitySubscriptionsByActorAndSubjects',
    'getNotificationPreferences',
    'getNotificationSeen',
    'updateNotificationSeen',
    'createActorMute',
    'deleteActorMute',
    'createActorMutelistSubscription',
    'deleteActorMutelistSubscription',
    'createThreadMute',
    'deleteThreadMute',
    'getDidsByHandles',
    'getBlobTakedown',
    'getRecordTakedown',
    'getActorTakedown',
    'takedownBlob',
    'takedownRecord',
    'takedownActor',
    'untakedownBlob',
    'untakedownRecord',
    'untakedownActor',
    'ping',
  ]),
  ...all(OUR_CURSOR, [
    'getFollowers',
    'getFollows',
    'getLikesBySubject',
    'getLikesBySubjectSorted',
    'getActorLikes',
    'getRepostsBySubject',
    'getQuotesBySubjectSorted',
    'getListMembers',
    'getBlocks',
    'getActorBookmarks',
    'getActorDrafts',
    'getActivitySubscriptionDids',
  ]),
  getMutes: { partly: 'not those of reposts or quote posts alone, which the frontend leaves out' },
  getFollowsFollowing: { partly: 'up to 10,000 for an account' },
  getActors: {
    partly: 'nobody’s age is known; `tags`, `pagerank` and `priorityNotifications` are not set',
  },
  getThread: {
    partly: 'of a very big thread up to 1,500 posts, of them 1,000 direct replies',
  },
  getNotifications: {
    partly:
      'of those who read here, as many as are kept for each; what somebody does not want is left out',
  },
  getUnreadNotificationCount: { partly: 'counted up to 1,000; the same' },
  getIdentityByDid: { partly: 'keys `atproto` and `atproto_label` alone, all services' },
  getReferencelistoptoutsByActorAndSubjects: {
    empty: 'records of this kind are not indexed yet',
  },
  getSuggestedEntities: { empty: 'there is no editor' },
  getFollowSuggestions: { partly: 'from the follow graph, not from a list of Bluesky’s' },
  getSuggestedFeeds: { partly: 'those that most people like here' },
  ...all({ partly: 'by our index and its order' }, [
    'searchActors',
    'searchActorsTypeahead',
    'searchActorsV2',
    'searchPosts',
    'searchStarterPacks',
    'searchStarterPacksV2',
    'searchFeedGenerators',
    'searchFeedGeneratorsV2',
  ]),
  searchPostsV2: { partly: 'the same, with all filters; `queryLanguage` is not looked at' },
  ...all(MOCK, [
    'getSitemapIndex',
    'getSitemapPage',
    'getSiteStandardRecordsByURI',
    'getSiteStandardRecordsByRef',
  ]),
  ...all(NOT_CALLED, [
    'getVerificationsIssued',
    'getVerificationsReceived',
    'getActorReposts',
    'getNewUserCountForRange',
    'getFeedGeneratorStatus',
    'getAllLabelers',
    'updateActorUpstreamStatus',
    'clearActorMutes',
    'clearActorMutelistSubscriptions',
    'clearThreadMutes',
  ]),
}

const WRITTEN_AT_ONCE = {
  unimplemented: 'what is written is in force at once; there is nothing to be read again',
}

export const bsyncSupport: Record<keyof typeof BsyncService.method, Support> = {
  addMuteOperation: 'whole',
  addNotifOperation: 'whole',
  putOperation: {
    partly: 'bookmarks, drafts, notification preferences and subscriptions; what else is refused',
  },
  fanoutNotificationSeen: 'whole',
  ping: 'whole',
  scanMuteOperations: WRITTEN_AT_ONCE,
  scanNotifOperations: WRITTEN_AT_ONCE,
  scanOperations: WRITTEN_AT_ONCE,
  deleteOperationsByActorAndNamespace: { unimplemented: 'the frontend does not call it' },
}

function all<const Names extends readonly RpcName[]>(
  one: Support,
  names: Names,
): Record<Names[number], Support> {
  return Object.fromEntries(names.map((name) => [name, one])) as Record<Names[number], Support>
}
