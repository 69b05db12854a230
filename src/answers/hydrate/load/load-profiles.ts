// Hydration of profiles.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import type { ProfileOptions } from '../hydrator-types.ts'
import { emptyProfileState, type Loader } from '../page.ts'
import type { Reader } from '../reader.ts'
import type { AccountPair, KnownFollowers, ProfileState } from '../types.ts'
import { loadAccounts, loadLists, loadRelations } from './load-accounts.ts'
import { loadBlocks } from './load-blocks.ts'
import { addRecords } from './load-records.ts'

/** Number of known followers that a profile shows. Lexicon app.bsky.actor.defs#knownFollowers. */
const PRESENTED_KNOWN_FOLLOWERS = 5

export function loadProfiles(
  loader: Loader,
  uids: readonly number[],
  reader: Reader,
  options: ProfileOptions = {},
): ProfileState {
  const state = emptyProfileState(reader, loader.context.urls)
  const { knownFollowers } = options
  const proven = knownFollowers === true ? uids : knownFollowers || []
  loadKnownFollowers(loader, state, proven)
  const visible = new Set(uids)
  for (const { followers } of state.knownFollowers.values())
    for (const uid of followers) visible.add(uid)
  loadAccounts(loader, state, visible)
  if (options.detailed) loadJoinedThrough(loader, state, uids)
  loadLists(loader, state, new Set())
  const pairs = [...(options.blockPairs ?? []), ...knownFollowerPairs(state)]
  if (pairs.length > 0) state.blocks = loadBlocks(loader, pairs, state)
  if (options.detailed) {
    const subscriber = reader.viewer?.withoutPrivateState ? 0 : (reader.viewer?.uid ?? 0)
    state.activitySubscriptions = loader.readers.activitySubscriptions(subscriber, uids)
    for (const { uid, count } of loader.readers.lists.countsOf(new Set(uids))) {
      state.listCounts.set(uid, count)
    }
    loadRecordCounts(loader, state, uids)
  }
  return state
}

/** Loads the starter packs through which these accounts joined, with their creators. */
function loadJoinedThrough(loader: Loader, state: ProfileState, uids: readonly number[]): void {
  const uris = uids.flatMap((uid) => {
    const pack = state.actors.get(uid)?.profile?.record.joinedViaStarterPack
    return pack ? [pack.uri] : []
  })
  if (uris.length === 0) return
  addRecords(loader, state, uris)
  const creators = new Set([...state.records.values()].map(({ uid }) => uid))
  for (const uid of creators) if (state.actors.has(uid)) creators.delete(uid)
  if (creators.size > 0) loadAccounts(loader, state, creators)
}

function loadRecordCounts(loader: Loader, state: ProfileState, uids: readonly number[]): void {
  for (const { uid, collection, count } of loader.readers.records.countsOf(new Set(uids))) {
    const counts = state.recordCounts.get(uid) ?? { feedgens: 0, starterPacks: 0 }
    state.recordCounts.set(uid, counts)
    if (collection === collectionCodes['app.bsky.feed.generator']) counts.feedgens = count
    else counts.starterPacks = count
  }
}

export function loadRelationsOnly(
  loader: Loader,
  uids: readonly number[],
  reader: Reader,
): ProfileState {
  const state = emptyProfileState(reader, loader.context.urls)
  loadRelations(loader, state, uids)
  loadLists(loader, state, new Set())
  return state
}

function loadKnownFollowers(loader: Loader, state: ProfileState, uids: readonly number[]): void {
  const viewer = state.viewer?.uid ?? 0
  if (viewer === 0) return
  for (const uid of new Set(uids)) {
    const known = knownFollowers(loader, viewer, uid)
    if (known) state.knownFollowers.set(uid, known)
  }
}

function knownFollowers(
  loader: Loader,
  viewer: number,
  subject: number,
): KnownFollowers | undefined {
  const { graph } = loader.context
  const count = graph.knownFollowersCount(viewer, subject)
  if (count === 0) return undefined
  const out = new Uint32Array(PRESENTED_KNOWN_FOLLOWERS)
  const length = graph.knownFollowers(viewer, subject, 0, out)
  return { count, followers: [...out.subarray(0, length)] }
}

function knownFollowerPairs(state: ProfileState): AccountPair[] {
  return [...state.knownFollowers].flatMap(([subject, { followers }]) =>
    followers.map((follower): AccountPair => [subject, follower]),
  )
}
