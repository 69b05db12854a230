// Derives the rows that the reference AppView's data plane would return for records, accounts and pairs of
// accounts, by scanning a social world.

import { VIOLATES_POSTGATE, VIOLATES_THREADGATE } from '../../src/data/store/posts/post-flags.ts'
import { ONLY_QUOTE_POSTS, ONLY_REPOSTS } from '../../src/data/store/private/mutes.ts'
import { verifierOf } from './random-world.ts'
import type { World, WorldRecord } from './social-world.ts'
import { accountCounts, countsOf } from './world-rows.ts'

export function recordOf(world: World, uri: string) {
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

export function actorOf(world: World, did: string) {
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
    .filter((record) => record.did === verifierOf(world) && record.value['subject'] === did)
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
export function membersOf(world: World, list: string) {
  const dids = new Set<string>()
  const items = world
    .of('app.bsky.graph.listitem')
    .filter(({ value }) => value['list'] === list)
    .map(({ uri, value, indexedAt }) => ({ uri, did: value['subject'] as string, indexedAt }))
    .filter(({ did }) => !dids.has(did) && dids.add(did))
  return items.reverse()
}

export function metaOf(world: World, uri: string) {
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

export function relationshipOf(world: World, did: string, other: string) {
  const pointing = (collection: string, from: string, to: string) =>
    world.of(collection).find((record) => record.did === from && record.value['subject'] === to)
      ?.uri ?? ''
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
export function blockExistence(world: World, did: string, other: string) {
  const relationship = relationshipOf(world, did, other)
  const { blockedByList } = relationship
  return isInForce(world, blockedByList) ? relationship : { ...relationship, blockedByList: '' }
}

/**
 * A list by which `did` blocks `other`. The reference's query picks any such list and then checks
 * whether that one is in force; here lists in force come first, in order of the lists' rows.
 */
function blockingList(world: World, did: string, other: string): string {
  const blocks = world.of('app.bsky.graph.listblock').filter((record) => record.did === did)
  return listInForce(
    world,
    blocks.map(({ value }) => value['subject'] as string),
    other,
  )
}

function mutingList(world: World, did: string, other: string): string {
  const muted = [...world.listMutes].filter((mute) => mute.startsWith(`${did} `))
  return listInForce(
    world,
    muted.map((value) => value.slice(did.length + 1)),
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

export function subjectUri(record: WorldRecord): string {
  return (record.value['subject'] as { uri: string }).uri
}

export function interactionCounts(world: World, refs: { uri: string }[]) {
  const counts = refs.map(({ uri }) => countsOf(world, uri))
  return {
    likes: counts.map(({ likes }) => likes),
    reposts: counts.map(({ reposts }) => reposts),
    replies: counts.map(({ replies }) => replies),
    quotes: counts.map(({ quotes }) => quotes),
    bookmarks: refs.map(
      ({ uri }) => [...world.bookmarks].filter((bookmark) => bookmark.endsWith(` ${uri}`)).length,
    ),
  }
}

export function knownFollowers(world: World, viewer: string, subject: string): string[] {
  const follows = (a: string, b: string) =>
    world
      .of('app.bsky.graph.follow')
      .some((record) => record.did === a && record.value['subject'] === b)
  return [...world.accounts.keys()].filter((did) => follows(viewer, did) && follows(did, subject))
}

export function userCounts(world: World, dids: string[]) {
  const counts = dids.map((did) => accountCounts(world, did))
  const lists = (did: string) =>
    world.of('app.bsky.graph.list').filter((record) => record.did === did)
  const ofAccount = (collection: string, did: string) =>
    world.of(collection).filter((record) => record.did === did).length
  return {
    followers: counts.map(({ followers }) => followers),
    following: counts.map(({ follows }) => follows),
    posts: counts.map(({ posts }) => posts),
    lists: dids.map((did) => lists(did).length),
    feeds: dids.map((did) => ofAccount('app.bsky.feed.generator', did)),
    starterPacks: dids.map((did) => ofAccount('app.bsky.graph.starterpack', did)),
  }
}
