// What a call costs its caller: points of the rate limit, and whether it is heavy, which is what is
// turned away first where there is too much to do. A light query is a point: a page from memory and
// kept answers, half a millisecond. The others by what they take of us, of disk or of other people's
// servers.

import type { Method } from '../server/method.ts'

export type MethodCost = { points: number; isHeavy: boolean }

const LIGHT: MethodCost = { points: 1, isHeavy: false }
/** As the PDS counts a record that is created. */
const WRITE: MethodCost = { points: 3, isHeavy: false }
const HEAVY: MethodCost = { points: 5, isHeavy: true }

/** Those that are neither an ordinary query nor an ordinary write. */
export const costs: Record<string, MethodCost> = {
  'app.bsky.feed.getFeed': { points: 4, isHeavy: false }, // asks its generator, but little of us
  'app.bsky.feed.searchPosts': HEAVY,
  'app.bsky.feed.searchPostsV2': HEAVY,
  'app.bsky.actor.searchActors': HEAVY,
  'app.bsky.actor.searchActorsTypeahead': { points: 2, isHeavy: false }, // with every key pressed
  'app.bsky.graph.searchStarterPacks': HEAVY,
  'app.bsky.graph.searchStarterPacksV2': HEAVY,
  'app.bsky.unspecced.getPostThreadV2': { points: 2, isHeavy: false },
  'app.bsky.unspecced.getPostThreadOtherV2': { points: 2, isHeavy: false },
  'app.bsky.feed.getPostThread': { points: 2, isHeavy: false },
  'app.bsky.unspecced.getTrends': { points: 2, isHeavy: true },
  'app.bsky.unspecced.getPopularFeedGenerators': { points: 2, isHeavy: true },
  'app.bsky.actor.getSuggestions': { points: 2, isHeavy: true },
  'internal.bsky.actor.getProfiles': { points: 4, isHeavy: true },
  'io.slipstream.graph.getSocialProof': { points: 4, isHeavy: true },
  'io.slipstream.server.redeemInvite': { points: 20, isHeavy: false },
  'com.atproto.identity.resolveHandle': { points: 2, isHeavy: false }, // may ask the network
  'com.atproto.repo.getRecord': { points: 2, isHeavy: false },
}

export function costOf({ nsid, kind }: Pick<Method, 'nsid' | 'kind'>): MethodCost {
  return costs[nsid] ?? (kind === 'procedure' ? WRITE : LIGHT)
}
