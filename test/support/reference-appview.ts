// The reference AppView's own hydrator and views (@atproto/bsky, from the end-to-end tests'
// packages), over a data plane that answers from a social world by looking at every record. What
// it presents is what ours must present.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { VIOLATES_POSTGATE, VIOLATES_THREADGATE } from '../../src/store/post-flags.ts'
import type { World, WorldRecord } from './social-world.ts'
import { accountCounts, countsOf } from './world-rows.ts'

const HOME = join(import.meta.dirname, '../e2e/node_modules/@atproto/bsky/dist')

export const referenceIsInstalled = existsSync(HOME)

export type ReferenceItem = { post: { uri: string }; repost?: { uri: string } }

/** The parts of the reference that are used; its states and views are opaque here. */
type Hydrator = {
  hydrateFeedItems(items: ReferenceItem[], ctx: unknown): Promise<unknown>
  hydratePosts(refs: { uri: string }[], ctx: unknown): Promise<unknown>
  hydrateProfilesDetailed(dids: string[], ctx: unknown): Promise<unknown>
}
type Views = {
  feedItemBlocksAndMutes(item: ReferenceItem, state: unknown): Record<string, boolean>
  feedViewPost(item: ReferenceItem, state: unknown): unknown
  post(uri: string, state: unknown): unknown
  profileBasic(did: string, state: unknown): unknown
  profile(did: string, state: unknown): unknown
  profileDetailed(did: string, state: unknown): unknown
}
type Made<T> = new (...given: unknown[]) => T

export type Reference = {
  hydrator: Hydrator
  views: Views
  context(viewer: string | undefined): unknown
}

/** `order`: in which known followers are listed; the reference's own order is undefined. */
export async function referenceOver(
  world: World,
  order: (did: string) => number,
): Promise<Reference> {
  const load = async (path: string) => (await import(join(HOME, path))) as Record<string, unknown>
  const { Views } = (await load('views/index.js')) as { Views: Made<Views> }
  const { Hydrator, HydrateCtx } = (await load('hydration/hydrator.js')) as {
    Hydrator: Made<Hydrator>
    HydrateCtx: Made<unknown>
  }
  const { ImageUriBuilder } = (await load('image/uri.js')) as { ImageUriBuilder: Made<unknown> }
  const { VideoUriBuilder } = (await load('views/util.js')) as { VideoUriBuilder: Made<unknown> }
  const features = { checkGate: () => false, Gate: {} }
  return {
    hydrator: new Hydrator(dataplane(world, order), [], { featureGatesClient: {} }),
    views: new Views({
      imgUriBuilder: new ImageUriBuilder('https://img.test'),
      videoUriBuilder: new VideoUriBuilder({
        playlistUrlPattern: 'https://vid.test/%s/%s/playlist.m3u8',
        thumbnailUrlPattern: 'https://vid.test/%s/%s/thumbnail.jpg',
      }),
    }),
    context: (viewer) =>
      new HydrateCtx({
        labelers: { dids: [], redact: new Set() },
        viewer: viewer ?? null,
        features,
      }),
  }
}

/** The same addresses in our patterns. */
export const referenceUrlPatterns = {
  imageUrlPattern: 'https://img.test/{preset}/plain/{did}/{cid}',
  videoPlaylistUrlPattern: 'https://vid.test/{did}/{cid}/playlist.m3u8',
  videoThumbnailUrlPattern: 'https://vid.test/{did}/{cid}/thumbnail.jpg',
}

type Uris = { uris: string[] }
type Refs = { refs: { uri: string }[] }
type ActorAndRefs = Refs & { actorDid: string }

/** Every method that the reference calls for feeds, posts and profiles; others throw. */
function dataplane(world: World, order: (did: string) => number): object {
  const records = async ({ uris }: Uris) => ({ records: uris.map((uri) => recordOf(world, uri)) })
  const first = (collection: string, test: (record: WorldRecord) => boolean) =>
    world.of(collection).find(test)?.uri ?? ''
  const bySubject =
    (collection: string) =>
    async ({ actorDid, refs }: ActorAndRefs) => ({
      uris: refs.map(({ uri }) =>
        first(collection, (one) => one.did === actorDid && subjectUri(one) === uri),
      ),
    })
  const methods = {
    getActors: async ({ dids }: { dids: string[] }) => ({
      actors: dids.map((did) => actorOf(world, did)),
    }),
    getRelationships: async ({
      actorDid,
      targetDids,
    }: {
      actorDid: string
      targetDids: string[]
    }) => ({
      relationships: targetDids.map((did) => relationshipOf(world, actorDid, did)),
    }),
    getBlockExistence: async ({ pairs }: { pairs: { a: string; b: string }[] }) => ({
      blocks: pairs.map(({ a, b }) => relationshipOf(world, a, b)),
    }),
    getPostRecords: async ({ uris }: Uris) => ({
      ...(await records({ uris })),
      meta: uris.map((uri) => metaOf(world, uri)),
      opThreads: [],
    }),
    getListRecords: records,
    getRepostRecords: records,
    getThreadGateRecords: records,
    getPostgateRecords: records,
    getFeedGeneratorRecords: records,
    getLabelerRecords: records,
    getStarterPackRecords: records,
    getLikesByActorAndSubjects: bySubject('app.bsky.feed.like'),
    getRepostsByActorAndSubjects: bySubject('app.bsky.feed.repost'),
    getBookmarksByActorAndSubjects: async () => ({ bookmarks: [] }),
    getThreadMutesOnSubjects: async () => ({ muted: [] }),
    getMutelistSubscription: async () => ({ subscribed: false }),
    getReferencelistoptoutsByActorAndSubjects: async () => ({ uris: [] }),
    getActivitySubscriptionsByActorAndSubjects: async () => ({ subscriptions: [] }),
    getBlocklistSubscription: async ({
      actorDid,
      listUri,
    }: {
      actorDid: string
      listUri: string
    }) => ({
      listblockUri: first(
        'app.bsky.graph.listblock',
        ({ did, value }) => did === actorDid && value['subject'] === listUri,
      ),
    }),
    getListMembership: async ({
      actorDid,
      listUris,
    }: {
      actorDid: string
      listUris: string[]
    }) => ({
      listitemUris: listUris.map((uri) =>
        first(
          'app.bsky.graph.listitem',
          ({ value }) => value['list'] === uri && value['subject'] === actorDid,
        ),
      ),
    }),
    getListCounts: async ({ refs }: Refs) => ({
      listItems: refs.map(
        ({ uri }) =>
          // An account that is on a list twice counts once: its table has a constraint for it.
          new Set(
            world
              .of('app.bsky.graph.listitem')
              .filter(({ value }) => value['list'] === uri)
              .map(({ value }) => value['subject']),
          ).size,
      ),
    }),
    getStarterPackCounts: async () => ({ joinedAllTime: [], joinedWeek: [] }),
    getInteractionCounts: async ({ refs }: Refs) => interactionCounts(world, refs),
    getFollowsFollowing: async ({
      actorDid,
      targetDids,
    }: {
      actorDid: string
      targetDids: string[]
    }) => ({
      results: targetDids.map((did) => ({
        dids: knownFollowers(world, actorDid, did).sort((a, b) => order(a) - order(b)),
      })),
    }),
    getCountsForUsers: async ({ dids }: { dids: string[] }) => userCounts(world, dids),
  }
  return methods
}

function recordOf(world: World, uri: string) {
  const record = world.records.get(uri)
  if (!record) return { record: Buffer.from('null'), takenDown: false }
  const createdAt = Date.parse(record.value['createdAt'] as string)
  return {
    record: Buffer.from(JSON.stringify(record.value)),
    cid: record.cid,
    createdAt: timestamp(createdAt),
    indexedAt: timestamp(record.indexedAt),
    sortedAt: timestamp(Math.min(createdAt, record.indexedAt)),
    takenDown: false,
  }
}

function timestamp(ms: number) {
  return { toDate: () => new Date(ms) }
}

function actorOf(world: World, did: string) {
  const account = world.accounts.get(did)
  const profile = recordOf(world, `at://${did}/app.bsky.actor.profile/self`)
  return {
    exists: account !== undefined,
    handle: account?.handle,
    profile,
    createdAt: 'createdAt' in profile ? profile.createdAt : undefined,
    takenDown: account?.status === 'takendown',
    upstreamStatus: account?.status ?? '',
    verifiedBy: {},
    tags: [],
    profileTags: [],
  }
}

function metaOf(world: World, uri: string) {
  const flags = world.flags.get(uri) ?? 0
  const gate = (collection: string) =>
    world.records.has(uri.replace('/app.bsky.feed.post/', `/${collection}/`))
  return {
    violatesThreadGate: (flags & VIOLATES_THREADGATE) !== 0,
    violatesEmbeddingRules: (flags & VIOLATES_POSTGATE) !== 0,
    hasThreadGate: gate('app.bsky.feed.threadgate'),
    hasPostGate: gate('app.bsky.feed.postgate'),
  }
}

function relationshipOf(world: World, did: string, other: string) {
  const pointing = (collection: string, from: string, to: string) =>
    world.of(collection).find((one) => one.did === from && one.value['subject'] === to)?.uri ?? ''
  return {
    muted: world.mutes.has(`${did} ${other}`),
    following: pointing('app.bsky.graph.follow', did, other),
    followedBy: pointing('app.bsky.graph.follow', other, did),
    blocking: pointing('app.bsky.graph.block', did, other),
    blockedBy: pointing('app.bsky.graph.block', other, did),
    blockingByList: blockingList(world, did, other),
    blockedByList: blockingList(world, other, did),
  }
}

/**
 * A list by which `did` blocks `other`. The reference's query names any one of them and then looks
 * whether that one is in force; one that is comes first here, in order of the lists' rows.
 */
function blockingList(world: World, did: string, other: string): string {
  const onIt = (list: unknown) =>
    world
      .of('app.bsky.graph.listitem')
      .some(({ value }) => value['list'] === list && value['subject'] === other)
  const blocked = world.of('app.bsky.graph.listblock').filter((one) => one.did === did)
  const lists = blocked.map(({ value }) => value['subject'] as string).filter(onIt)
  const inForce = (uri: string) => {
    const list = world.records.get(uri)
    const status = list && world.accounts.get(list.did)?.status
    return list?.value['purpose'] === 'app.bsky.graph.defs#modlist' && status === undefined
  }
  return (
    world.of('app.bsky.graph.list').find(({ uri }) => lists.includes(uri) && inForce(uri))?.uri ??
    lists[0] ??
    ''
  )
}

function subjectUri(record: WorldRecord): string {
  return (record.value['subject'] as { uri: string }).uri
}

function interactionCounts(world: World, refs: { uri: string }[]) {
  const counts = refs.map(({ uri }) => countsOf(world, uri))
  return {
    likes: counts.map(({ likes }) => likes),
    reposts: counts.map(({ reposts }) => reposts),
    replies: counts.map(({ replies }) => replies),
    quotes: counts.map(({ quotes }) => quotes),
    bookmarks: refs.map(() => 0),
  }
}

function knownFollowers(world: World, viewer: string, subject: string): string[] {
  const follows = (a: string, b: string) =>
    world.of('app.bsky.graph.follow').some((one) => one.did === a && one.value['subject'] === b)
  return [...world.accounts.keys()].filter((did) => follows(viewer, did) && follows(did, subject))
}

function userCounts(world: World, dids: string[]) {
  const counts = dids.map((did) => accountCounts(world, did))
  const lists = (did: string) => world.of('app.bsky.graph.list').filter((one) => one.did === did)
  return {
    followers: counts.map(({ followers }) => followers),
    following: counts.map(({ follows }) => follows),
    posts: counts.map(({ posts }) => posts),
    lists: dids.map((did) => lists(did).length),
    feeds: dids.map(() => 0),
    starterPacks: dids.map(() => 0),
  }
}
