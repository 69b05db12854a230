// How far each call of bsky.Service and bsync.Service is implemented, in one table that docs/DATAPLANE.md
// shows too. `whole`: as the reference does. Text: in part, and why. Unimplemented calls are refused by name.

import type { Service } from '../generated/bsky-pb.ts'
import type { Service as BsyncService } from '../generated/bsync-pb.ts'

type RpcName = keyof typeof Service.method
export type Support = 'whole' | { partly: string } | { empty: string } | { unimplemented: string }

const NOT_CALLED = { unimplemented: 'the frontend does not call it' }
const REBUILT = {
  partly:
    'rebuilt from its row, except the newest 100,000 unusual ones: others lose further fields or a createdAt in another form, which changes the CID; none about a post that is not here. Whole records would take ten times the disk',
}
const OF_LISTS_HERE = {
  partly:
    'without lists whose own record is deleted or not here; the frontend does not show them either',
}
const MOCK = { empty: 'as in the reference outside Bluesky’s own network' }

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
    'getListMembership',
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
    'getActorReposts',
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
    'getMutelistSubscription',
    'getBlocklistSubscription',
  ]),
  getActorLikes: { partly: 'only likes of posts; the frontend shows no others' },
  getKnownLikers: { partly: 'only of posts; the frontend asks for no others' },
  getActors: {
    partly: 'an account that others name exists even before its own first event',
  },
  getThread: {
    partly: 'up to 1,500 posts of a very big thread, 1,000 of them direct replies',
  },
  getNotifications: {
    partly:
      'members’ last 5,000, or all accounts’ for the set number of days; without unwanted ones and those of verifiers not trusted here',
  },
  getUnreadNotificationCount: {
    partly:
      'up to 1,000; the same exclusions, and without those that the frontend hides in the list',
  },
  getSuggestedEntities: { empty: 'no editor picks any' },
  getFollowSuggestions: { partly: 'from the follow graph, not from Bluesky’s list' },
  getSuggestedFeeds: { partly: 'those with the most likes here' },
  ...all({ partly: 'from our index, in its order' }, [
    'searchActors',
    'searchActorsTypeahead',
    'searchActorsV2',
    'searchPosts',
    'searchStarterPacks',
    'searchStarterPacksV2',
    'searchFeedGenerators',
    'searchFeedGeneratorsV2',
  ]),
  searchPostsV2: {
    partly:
      'the same, with all filters; `queryLanguage` is ignored, as in the reference’s own dataplane',
  },
  ...all(MOCK, ['getSitemapIndex', 'getSitemapPage']),
  ...all({ partly: 'records that a post here names; the reference’s own dataplane has none' }, [
    'getSiteStandardRecordsByURI',
    'getSiteStandardRecordsByRef',
  ]),
  ...all(NOT_CALLED, [
    'getVerificationsIssued',
    'getVerificationsReceived',
    'getNewUserCountForRange',
    'getFeedGeneratorStatus',
    'getAllLabelers',
    'updateActorUpstreamStatus',
    'clearActorMutes',
    'clearActorMutelistSubscriptions',
    'clearThreadMutes',
  ]),
}

const STREAM = { partly: 'the last 50,000 operations written through bsync here' }

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
  support: Support,
  names: Names,
): Record<Names[number], Support> {
  return Object.fromEntries(names.map((name) => [name, support])) as Record<Names[number], Support>
}
