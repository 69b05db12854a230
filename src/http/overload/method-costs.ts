// What a call costs its caller: points of the rate limit, and whether it is heavy, as heavy calls are refused
// first under overload. A light query costs one point: a page from memory and cached answers, half a
// millisecond. Others cost by the work, disk reads or requests to other servers that they cause.

export type MethodCost = { points: number; isHeavy: boolean }

const LIGHT: MethodCost = { points: 1, isHeavy: false }
/** What the PDS charges for creating a record. */
const WRITE: MethodCost = { points: 3, isHeavy: false }
const HEAVY: MethodCost = { points: 5, isHeavy: true }

/** Methods that are neither an ordinary query nor an ordinary write. */
export const costs: Record<string, MethodCost> = {
  'app.bsky.feed.getFeed': { points: 4, isHeavy: false }, // asks its generator, but costs us little
  'app.bsky.feed.searchPosts': HEAVY,
  'app.bsky.feed.searchPostsV2': HEAVY,
  'app.bsky.actor.searchActors': HEAVY,
  'app.bsky.actor.searchActorsTypeahead': { points: 2, isHeavy: false }, // called on every keystroke
  'app.bsky.graph.searchStarterPacks': HEAVY,
  'app.bsky.graph.searchStarterPacksV2': HEAVY,
  'app.bsky.unspecced.getPostThreadV2': { points: 2, isHeavy: false },
  'app.bsky.unspecced.getPostThreadOtherV2': { points: 2, isHeavy: false },
  'app.bsky.feed.getPostThread': { points: 2, isHeavy: false },
  'app.bsky.unspecced.getTrends': { points: 2, isHeavy: true },
  'app.bsky.unspecced.getPopularFeedGenerators': { points: 2, isHeavy: true },
  'app.bsky.actor.getSuggestions': { points: 2, isHeavy: true },
  'internal.bsky.actor.getProfiles': { points: 4, isHeavy: true },
  'io.slipstream.feed.getKnownLikers': { points: 4, isHeavy: true },
  'io.slipstream.graph.getSocialProof': { points: 4, isHeavy: true },
  'io.slipstream.server.redeemInvite': { points: 20, isHeavy: false },
  'com.atproto.identity.resolveHandle': { points: 2, isHeavy: false }, // may make a network request
  'com.atproto.repo.getRecord': { points: 2, isHeavy: false },
  'app.bsky.embed.getEmbedExternalView': { points: 5, isHeavy: false }, // may make five network requests
}

export function costOf({ nsid, kind }: { nsid: string; kind: 'query' | 'procedure' }): MethodCost {
  return costs[nsid] ?? (kind === 'procedure' ? WRITE : LIGHT)
}
