// Hydration of profiles.

import { blockedPairs } from './blocked-pairs.ts'
import { loadAccounts, loadLists } from './load-accounts.ts'
import { emptyProfileState, type Loader } from './page.ts'
import type { AccountPair, KnownFollowers, ProfileOptions, ProfileState, Viewer } from './types.ts'

/** How many known followers a profile shows. Lexicon app.bsky.actor.defs#knownFollowers. */
const SHOWN_KNOWN_FOLLOWERS = 5

export function loadProfiles(
  loader: Loader,
  uids: readonly number[],
  viewer: Viewer,
  options: ProfileOptions,
): ProfileState {
  const state = emptyProfileState(viewer, loader.parts.urls)
  if (options.knownFollowers) loadKnownFollowers(loader, state, uids)
  const shown = new Set(uids)
  for (const { followers } of state.knownFollowers.values())
    for (const uid of followers) shown.add(uid)
  loadAccounts(loader, state, shown)
  loadLists(loader, state, new Set())
  const pairs = [...(options.blockPairs ?? []), ...knownFollowerPairs(state)]
  if (pairs.length > 0) state.blocks = blockedPairs(loader.readers.blockPairs(pairs))
  if (options.detailed) {
    for (const { uid, count } of loader.readers.lists.countsOf(new Set(uids))) {
      state.listCounts.set(uid, count)
    }
  }
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
  const { graph } = loader.parts
  const count = graph.knownFollowersCount(viewer, subject)
  if (count === 0) return undefined
  const out = new Uint32Array(SHOWN_KNOWN_FOLLOWERS)
  const length = graph.knownFollowers(viewer, subject, 0, out)
  return { count, followers: [...out.subarray(0, length)] }
}

function knownFollowerPairs(state: ProfileState): AccountPair[] {
  return [...state.knownFollowers].flatMap(([subject, { followers }]) =>
    followers.map((follower): AccountPair => [subject, follower]),
  )
}
