// A data plane for the reference AppView that answers from a social world by scanning every record. It has
// each method that the reference calls for feeds, posts and profiles; others throw.

import {
  actorOf,
  blockExistence,
  interactionCounts,
  knownFollowers,
  membersOf,
  metaOf,
  recordOf,
  relationshipOf,
  subjectUri,
  userCounts,
} from './reference-rows.ts'
import type { World, WorldRecord } from './social-world.ts'

type Dids = { dids: string[] }
type Uris = { uris: string[] }
type Refs = { refs: { uri: string }[] }
type ActorAndRefs = Refs & { actorDid: string }
type ActorAndTargets = { actorDid: string; targetDids: string[] }
type ActorAndList = { actorDid: string; listUri: string }

/** `order`: the order in which known followers are listed. */
export function referenceDataplane(
  world: World,
  order: (did: string) => number,
  labels: readonly { src: string; uri: string }[],
): object {
  return {
    ...labelMethods(labels),
    ...recordMethods(world),
    ...actorMethods(world, order),
    ...viewerMethods(world),
    ...listMethods(world),
    ...countMethods(world),
  }
}

function labelMethods(labels: readonly { src: string; uri: string }[]) {
  return {
    getLabels: async ({ subjects, issuers }: { subjects: string[]; issuers: string[] }) => ({
      labels: labels
        .filter(({ uri, src }) => subjects.includes(uri) && issuers.includes(src))
        .map((label) => Buffer.from(JSON.stringify(label))),
    }),
  }
}

/** Records by URI. */
function recordMethods(world: World) {
  const records = async ({ uris }: Uris) => ({ records: uris.map((uri) => recordOf(world, uri)) })
  return {
    getPostRecords: async ({ uris }: Uris) => ({
      ...(await records({ uris })),
      meta: uris.map((uri) => metaOf(world, uri)),
      opThreads: [],
    }),
    getListRecords: records,
    getListItemRecords: records,
    getRepostRecords: records,
    getThreadGateRecords: records,
    getPostgateRecords: records,
    getFeedGeneratorRecords: records,
    getLabelerRecords: records,
    getStarterPackRecords: records,
  }
}

/** Accounts, and what two accounts are to each other. */
function actorMethods(world: World, order: (did: string) => number) {
  return {
    getActors: async ({ dids }: Dids) => ({ actors: dids.map((did) => actorOf(world, did)) }),
    getRelationships: async ({ actorDid, targetDids }: ActorAndTargets) => ({
      relationships: targetDids.map((did) => relationshipOf(world, actorDid, did)),
    }),
    getBlockExistence: async ({ pairs }: { pairs: { a: string; b: string }[] }) => ({
      blocks: pairs.map(({ a, b }) => blockExistence(world, a, b)),
    }),
    getFollowsFollowing: async ({ actorDid, targetDids }: ActorAndTargets) => ({
      results: targetDids.map((did) => ({
        dids: knownFollowers(world, actorDid, did).sort((a, b) => order(a) - order(b)),
      })),
    }),
    getActivitySubscriptionsByActorAndSubjects: async () => ({ subscriptions: [] }),
  }
}

/** The viewer's own acts on posts. */
function viewerMethods(world: World) {
  const bySubject =
    (collection: string) =>
    async ({ actorDid, refs }: ActorAndRefs) => ({
      uris: refs.map(({ uri }) =>
        firstUri(
          world,
          collection,
          (record) => record.did === actorDid && subjectUri(record) === uri,
        ),
      ),
    })
  return {
    getLikesByActorAndSubjects: bySubject('app.bsky.feed.like'),
    getRepostsByActorAndSubjects: bySubject('app.bsky.feed.repost'),
    getBookmarksByActorAndSubjects: async ({ actorDid, uris }: Uris & { actorDid: string }) => ({
      bookmarks: uris.map((uri) =>
        world.bookmarks.has(`${actorDid} ${uri}`) ? { ref: { key: 'key' }, subjectUri: uri } : {},
      ),
    }),
    getThreadMutesOnSubjects: async () => ({ muted: [] }),
  }
}

/** Members of lists, and the viewer's subscriptions to them. */
function listMethods(world: World) {
  return {
    getListMembers: async ({ listUri, limit }: { listUri: string; limit: number }) => ({
      listitems: membersOf(world, listUri).slice(0, limit),
    }),
    getListMembership: async ({
      actorDid,
      listUris,
    }: {
      actorDid: string
      listUris: string[]
    }) => ({
      listitemUris: listUris.map((uri) =>
        firstUri(
          world,
          'app.bsky.graph.listitem',
          ({ value }) => value['list'] === uri && value['subject'] === actorDid,
        ),
      ),
    }),
    getMutelistSubscription: async ({ actorDid, listUri }: ActorAndList) => ({
      subscribed: world.listMutes.has(`${actorDid} ${listUri}`),
    }),
    getBlocklistSubscription: async ({ actorDid, listUri }: ActorAndList) => ({
      listblockUri: firstUri(
        world,
        'app.bsky.graph.listblock',
        ({ did, value }) => did === actorDid && value['subject'] === listUri,
      ),
    }),
    getReferencelistoptoutsByActorAndSubjects: async () => ({ uris: [] }),
  }
}

function countMethods(world: World) {
  return {
    getListCounts: async ({ refs }: Refs) => ({
      listItems: refs.map(({ uri }) => listedAccounts(world, uri)),
    }),
    getStarterPackCounts: async ({ refs }: Refs) => ({
      joinedAllTime: refs.map(() => 0),
      joinedWeek: refs.map(() => 0),
    }),
    getInteractionCounts: async ({ refs }: Refs) => interactionCounts(world, refs),
    getCountsForUsers: async ({ dids }: Dids) => userCounts(world, dids),
  }
}

/**
 * Counts an account once even if it is on a list twice: the reference's table has a unique
 * constraint.
 */
function listedAccounts(world: World, list: string): number {
  const items = world.of('app.bsky.graph.listitem').filter(({ value }) => value['list'] === list)
  return new Set(items.map(({ value }) => value['subject'])).size
}

/** The first of the records that pass, or ''. */
function firstUri(
  world: World,
  collection: string,
  test: (record: WorldRecord) => boolean,
): string {
  return world.of(collection).find(test)?.uri ?? ''
}
