// The reference AppView's own hydrator and views (@atproto/bsky, from the end-to-end tests' packages), over a
// data plane that answers from a social world by scanning every record. Our views must equal its output.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ONLY_QUOTE_POSTS, ONLY_REPOSTS } from '../../src/data/store/mutes.ts'
import { VIOLATES_POSTGATE, VIOLATES_THREADGATE } from '../../src/data/store/post-flags.ts'
import { verifierOf } from './random-world.ts'
import type { World, WorldRecord } from './social-world.ts'
import { accountCounts, countsOf } from './world-rows.ts'

export const referenceHome = join(import.meta.dirname, '../e2e/node_modules/@atproto/bsky/dist')

export const referenceIsInstalled = existsSync(referenceHome)

/** As the data plane returns them: without expired ones. */
export type ReferenceLabel = { src: string; uri: string; val: string; cts: string; neg?: boolean }

type Labelers = { dids: readonly string[]; redact: ReadonlySet<string> }

export type ReferenceItem = { post: { uri: string }; repost?: { uri: string } }

/** The parts of the reference that are used; its states and views are opaque here. */
type Hydrator = {
  hydrateFeedItems(items: ReferenceItem[], ctx: unknown): Promise<unknown>
  hydratePosts(refs: { uri: string }[], ctx: unknown): Promise<unknown>
  hydrateProfilesDetailed(dids: string[], ctx: unknown): Promise<unknown>
  hydrateFeedGens(uris: string[], ctx: unknown): Promise<unknown>
  hydrateStarterPacks(uris: string[], ctx: unknown): Promise<unknown>
  hydrateLabelers(dids: string[], ctx: unknown): Promise<unknown>
}
type Views = {
  feedItemBlocksAndMutes(item: ReferenceItem, state: unknown): Record<string, boolean>
  feedViewPost(item: ReferenceItem, state: unknown): unknown
  post(uri: string, state: unknown): unknown
  profileBasic(did: string, state: unknown): unknown
  profile(did: string, state: unknown): unknown
  profileDetailed(did: string, state: unknown): unknown
  feedGenerator(uri: string, state: unknown): unknown
  starterPack(uri: string, state: unknown): unknown
  labelerDetailed(did: string, state: unknown): unknown
}
type Made<T> = new (...given: unknown[]) => T

export type Reference = {
  hydrator: Hydrator
  views: Views
  context(viewer: string | undefined, labelers?: Labelers): unknown
}

/** `order`: the order in which known followers are listed, which the reference leaves undefined. */
export async function referenceOver(
  world: World,
  order: (did: string) => number,
  labels: readonly ReferenceLabel[] = [],
): Promise<Reference> {
  return referenceWith(dataplane(world, order, labels))
}

/** The same over any data plane that its client can talk to. */
export async function referenceWith(dataplane: object): Promise<Reference> {
  const load = async (path: string) =>
    (await import(join(referenceHome, path))) as Record<string, unknown>
  const { Views } = (await load('views/index.js')) as { Views: Made<Views> }
  const { Hydrator, HydrateCtx } = (await load('hydration/hydrator.js')) as {
    Hydrator: Made<Hydrator>
    HydrateCtx: Made<unknown>
  }
  const { ImageUriBuilder } = (await load('image/uri.js')) as { ImageUriBuilder: Made<unknown> }
  const { VideoUriBuilder } = (await load('views/util.js')) as { VideoUriBuilder: Made<unknown> }
  const features = { checkGate: () => false, Gate: {} }
  return {
    hydrator: new Hydrator(dataplane, [], { featureGatesClient: {} }),
    views: new Views({
      imgUriBuilder: new ImageUriBuilder('https://img.test'),
      videoUriBuilder: new VideoUriBuilder({
        playlistUrlPattern: 'https://vid.test/%s/%s/playlist.m3u8',
        thumbnailUrlPattern: 'https://vid.test/%s/%s/thumbnail.jpg',
      }),
    }),
    context: (viewer, labelers = { dids: [], redact: new Set() }) =>
      new HydrateCtx({
        labelers,
        viewer: viewer ?? null,
        features,
      }),
  }
}

/** The same URLs in our pattern syntax. */
export const referenceUrlPatterns = {
  imageUrlPattern: 'https://img.test/{preset}/plain/{did}/{cid}',
  videoPlaylistUrlPattern: 'https://vid.test/{did}/{cid}/playlist.m3u8',
  videoThumbnailUrlPattern: 'https://vid.test/{did}/{cid}/thumbnail.jpg',
}

type Uris = { uris: string[] }
type Refs = { refs: { uri: string }[] }
type ActorAndRefs = Refs & { actorDid: string }

/** Every method that the reference calls for feeds, posts and profiles; others throw. */
function dataplane(
  world: World,
  order: (did: string) => number,
  labels: readonly ReferenceLabel[],
): object {
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
    getLabels: async ({ subjects, issuers }: { subjects: string[]; issuers: string[] }) => ({
      labels: labels
        .filter(({ uri, src }) => subjects.includes(uri) && issuers.includes(src))
        .map((label) => Buffer.from(JSON.stringify(label))),
    }),
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
      blocks: pairs.map(({ a, b }) => blockExistence(world, a, b)),
    }),
    getPostRecords: async ({ uris }: Uris) => ({
      ...(await records({ uris })),
      meta: uris.map((uri) => metaOf(world, uri)),
      opThreads: [],
    }),
    getListRecords: records,
    getListItemRecords: records,
    getListMembers: async ({ listUri, limit }: { listUri: string; limit: number }) => ({
      listitems: membersOf(world, listUri).slice(0, limit),
    }),
    getRepostRecords: records,
    getThreadGateRecords: records,
    getPostgateRecords: records,
    getFeedGeneratorRecords: records,
    getLabelerRecords: records,
    getStarterPackRecords: records,
    getLikesByActorAndSubjects: bySubject('app.bsky.feed.like'),
    getRepostsByActorAndSubjects: bySubject('app.bsky.feed.repost'),
    getBookmarksByActorAndSubjects: async ({ actorDid, uris }: Uris & { actorDid: string }) => ({
      bookmarks: uris.map((uri) =>
        world.bookmarks.has(`${actorDid} ${uri}`) ? { ref: { key: 'key' }, subjectUri: uri } : {},
      ),
    }),
    getThreadMutesOnSubjects: async () => ({ muted: [] }),
    getMutelistSubscription: async ({
      actorDid,
      listUri,
    }: {
      actorDid: string
      listUri: string
    }) => ({ subscribed: world.listMutes.has(`${actorDid} ${listUri}`) }),
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
          // Counts an account once even if it is on a list twice: the reference's table has a
          // unique constraint.
          new Set(
            world
              .of('app.bsky.graph.listitem')
              .filter(({ value }) => value['list'] === uri)
              .map(({ value }) => value['subject']),
          ).size,
      ),
    }),
    getStarterPackCounts: async ({ refs }: Refs) => ({
      joinedAllTime: refs.map(() => 0),
      joinedWeek: refs.map(() => 0),
    }),
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
    ...besides(world, did),
    tags: [],
    profileTags: [],
  }
}

/** The account's own declarations, and the trusted verifier's verifications of it. */
function besides(world: World, did: string) {
  const self = (collection: string) => `at://${did}/${collection}/self`
  const declared = (collection: string) => world.records.get(self(collection))?.value
  const verifications = world
    .of('app.bsky.graph.verification')
    .filter((one) => one.did === verifierOf(world) && one.value['subject'] === did)
  return {
    labeler: world.records.has(self('app.bsky.labeler.service')),
    statusRecord: recordOf(world, self('app.bsky.actor.status')),
    germRecord: recordOf(world, self('com.germnetwork.declaration')),
    allowIncomingChatsFrom: declared('chat.bsky.actor.declaration')?.['allowIncoming'],
    allowActivitySubscriptionsFrom:
      declared('app.bsky.notification.declaration')?.['allowSubscriptions'] ?? 'followers',
    trustedVerifier: did === verifierOf(world),
    verifiedBy: Object.fromEntries(
      verifications.map(({ did: issuer, rkey, uri, value }) => [
        issuer,
        { rkey, ...value, sortedAt: (recordOf(world, uri) as { sortedAt: object }).sortedAt },
      ]),
    ),
  }
}

/** Newest first; an account listed twice counts from the first time. */
function membersOf(world: World, list: string) {
  const dids = new Set<string>()
  const items = world
    .of('app.bsky.graph.listitem')
    .filter(({ value }) => value['list'] === list)
    .map(({ uri, value, indexedAt }) => ({ uri, did: value['subject'] as string, indexedAt }))
    .filter(({ did }) => !dids.has(did) && dids.add(did))
  return items.reverse()
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
  const scope = world.mutes.get(`${did} ${other}`)
  return {
    muted: scope === 0,
    mutedOnlyReposts: ((scope ?? 0) & ONLY_REPOSTS) !== 0,
    mutedOnlyQuoteposts: ((scope ?? 0) & ONLY_QUOTE_POSTS) !== 0,
    mutedByList: mutingList(world, did, other),
    following: pointing('app.bsky.graph.follow', did, other),
    followedBy: pointing('app.bsky.graph.follow', other, did),
    blocking: pointing('app.bsky.graph.block', did, other),
    blockedBy: pointing('app.bsky.graph.block', other, did),
    blockingByList: blockingList(world, did, other),
    blockedByList: blockingList(world, other, did),
  }
}

/**
 * Of two lists the reference only looks at the other account's, and sees no block if that list is
 * not in force.
 */
function blockExistence(world: World, did: string, other: string) {
  const relationship = relationshipOf(world, did, other)
  const { blockedByList } = relationship
  return isInForce(world, blockedByList) ? relationship : { ...relationship, blockedByList: '' }
}

/**
 * A list by which `did` blocks `other`. The reference's query picks any such list and then checks
 * whether that one is in force; here lists in force come first, in order of the lists' rows.
 */
function blockingList(world: World, did: string, other: string): string {
  const blocks = world.of('app.bsky.graph.listblock').filter((one) => one.did === did)
  return listInForce(
    world,
    blocks.map(({ value }) => value['subject'] as string),
    other,
  )
}

function mutingList(world: World, did: string, other: string): string {
  const muted = [...world.listMutes].filter((one) => one.startsWith(`${did} `))
  return listInForce(
    world,
    muted.map((one) => one.slice(did.length + 1)),
    other,
  )
}

function listInForce(world: World, chosen: string[], other: string): string {
  const onIt = (list: unknown) =>
    world
      .of('app.bsky.graph.listitem')
      .some(({ value }) => value['list'] === list && value['subject'] === other)
  const lists = chosen.filter(onIt)
  const inForce = world
    .of('app.bsky.graph.list')
    .find(({ uri }) => lists.includes(uri) && isInForce(world, uri))
  return inForce?.uri ?? lists[0] ?? ''
}

function isInForce(world: World, uri: string): boolean {
  const list = world.records.get(uri)
  const status = list && world.accounts.get(list.did)?.status
  return list?.value['purpose'] === 'app.bsky.graph.defs#modlist' && status === undefined
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
    bookmarks: refs.map(
      ({ uri }) => [...world.bookmarks].filter((one) => one.endsWith(` ${uri}`)).length,
    ),
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
  const ofAccount = (collection: string, did: string) =>
    world.of(collection).filter((one) => one.did === did).length
  return {
    followers: counts.map(({ followers }) => followers),
    following: counts.map(({ follows }) => follows),
    posts: counts.map(({ posts }) => posts),
    lists: dids.map((did) => lists(did).length),
    feeds: dids.map((did) => ofAccount('app.bsky.feed.generator', did)),
    starterPacks: dids.map((did) => ofAccount('app.bsky.graph.starterpack', did)),
  }
}
