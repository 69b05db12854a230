// How far each call of bsky.Service and bsync.Service is implemented, in one table that docs/DATAPLANE.md
// shows too. `whole`: as the reference does. Text: in part, and why. Unimplemented calls are refused by name.

import type { Service } from './generated/bsky-pb.ts'
import type { Service as BsyncService } from './generated/bsync-pb.ts'

type RpcName = keyof typeof Service.method
export type Support = 'whole' | { partly: string } | { empty: string } | { unimplemented: string }

const NOT_CALLED = { unimplemented: 'the frontend does not call it' }
const REBUILT = {
  partly:
    'built anew from its row, but for the newest 100,000 unusual ones: of others a createdAt in another form or further fields are lost, and then the CID is another; nothing of one about a post that is not here. Kept whole it would take ten times the disk',
}
const OF_LISTS_HERE = {
  partly:
    'nothing of a list whose own record is gone or not here, of which the frontend shows nothing either',
}
const MOCK = { empty: 'as in the reference outside of Bluesky’s own network' }

export const support: Record<RpcName, Support> = {
  ...all(REBUILT, ['getFollowRecords', 'getLikeRecords', 'getRepostRecords']),
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
    'getBidirectionalBlock',
    'getActorMutesActor',
    'getThreadMutesOnSubjects',
    'getActorLists',
    'getMutelistSubscriptions',
    'getBlocklistSubscriptions',
    'getReferencelistoptoutsByActorAndSubjects',
    'getActorFeeds',
    'getActorStarterPacks',
    'getKnownLikers',
    'getAuthorFeed',
    'getTimeline',
    'getListFeed',
    'getLabels',
    'getLatestRev',
    'getIdentityByDid',
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
    'getBlockRecords',
    'getListBlockRecords',
    'getListItemRecords',
    'getFollowers',
    'getFollows',
    'getLikesBySubject',
    'getLikesBySubjectSorted',
    'getRepostsBySubject',
    'getQuotesBySubjectSorted',
    'getBlocks',
    'getActorBookmarks',
    'getActorDrafts',
    'getActivitySubscriptionDids',
    'getMutes',
    'getFollowsFollowing',
  ]),
  ...all(OF_LISTS_HERE, [
    'getRelationships',
    'getBlockExistence',
    'getBidirectionalBlockViaList',
    'getActorMutesActorViaList',
    'getListCounts',
    'getListCount',
    'getListMembers',
    'getListMembership',
    'getMutelistSubscription',
    'getBlocklistSubscription',
  ]),
  getActorLikes: { partly: 'likes of posts, which is what the frontend shows' },
  getActors: {
    partly: 'an account that others name exists, too, before it was ever heard itself',
  },
  getThread: {
    partly: 'of a very big thread up to 1,500 posts, of them 1,000 direct replies',
  },
  getNotifications: {
    partly:
      'members’ last 5,000, or everybody’s for as many days as are set; what somebody does not want is left out, and what verifiers say whom nobody trusts here',
  },
  getUnreadNotificationCount: { partly: 'counted up to 1,000; the same' },
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

const STREAM = { partly: 'of what was written by bsync here, the last 50,000 operations' }

export const bsyncSupport: Record<keyof typeof BsyncService.method, Support> = {
  addMuteOperation: 'whole',
  addNotifOperation: 'whole',
  putOperation: 'whole',
  fanoutNotificationSeen: 'whole',
  ping: 'whole',
  scanMuteOperations: STREAM,
  scanNotifOperations: STREAM,
  scanOperations: STREAM,
  deleteOperationsByActorAndNamespace: 'whole',
}

function all<const Names extends readonly RpcName[]>(
  one: Support,
  names: Names,
): Record<Names[number], Support> {
  return Object.fromEntries(names.map((name) => [name, one])) as Record<Names[number], Support>
}
