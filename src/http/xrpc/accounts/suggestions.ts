// Accounts worth following, from the follow graph alone: those followed by many of the viewer's follows or,
// relative to an account, by its followers. The fallback is the most followed accounts. Each list takes a
// bounded number of steps through the graph and is cached for a while, so that its pages fit together.
// Handlers leave out the accounts that the viewer blocks or mutes.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import { type ActorReader, HIDDEN } from '../../../data/graph/types.ts'

type Suggestions = {
  /** uids, best first, without those that the viewer follows. `viewer` may be 0. */
  forViewer(viewer: number): readonly number[]
  relativeTo(actor: number, viewer: number): readonly number[]
}

type Dependencies = {
  graph: FollowGraphReader
  actors: Pick<ActorReader, 'count' | 'flagsOf'>
  now?: () => number
}

const MAX_SUGGESTED = 300
/** Accounts whose follows are read, and how many follows of each. */
const MAX_SOURCES = 300
const MAX_FOLLOWS_EACH = 500
const MAX_CACHED = 2_000
const CACHED_FOR_MS = 10 * MINUTE_MS

export function createSuggestions({ graph, actors, now = Date.now }: Dependencies): Suggestions {
  const cache = new LruMap<string, { uids: readonly number[]; at: number }>(MAX_CACHED)

  function cachedOr(key: string, make: () => number[]): readonly number[] {
    const before = cache.get(key)
    if (before && now() - before.at < CACHED_FOR_MS) return before.uids
    const uids = make()
    cache.set(key, { uids, at: now() })
    return uids
  }

  const popular = () => cachedOr('popular', () => mostFollowed(graph, actors.count))
  const isVisible = (uid: number) => (actors.flagsOf(uid) & HIDDEN) === 0

  function ranked(sources: Uint32Array, viewer: number, leftOut: number): number[] {
    const votes = countFollows(graph, sources)
    const found = [...votes].filter(
      ([uid]) => uid !== viewer && uid !== leftOut && isVisible(uid) && !graph.has(viewer, uid),
    )
    // Accounts with many followers everywhere are no useful suggestion: follows among the sources
    // must stand out.
    const weigh = ([uid, count]: [number, number]) =>
      count / Math.sqrt(graph.followersCount(uid) + 1)
    return found
      .map((entry) => ({ uid: entry[0], weight: weigh(entry), count: entry[1] }))
      .sort((a, b) => b.weight - a.weight || b.count - a.count || a.uid - b.uid)
      .slice(0, MAX_SUGGESTED)
      .map(({ uid }) => uid)
  }

  function filledUp(uids: number[], viewer: number, leftOut: number): number[] {
    const known = new Set([...uids, viewer, leftOut])
    const more = popular().filter(
      (uid) => !known.has(uid) && isVisible(uid) && !(viewer !== 0 && graph.has(viewer, uid)),
    )
    return [...uids, ...more].slice(0, MAX_SUGGESTED)
  }

  return {
    forViewer: (viewer) =>
      cachedOr(`for ${viewer}`, () => {
        const sources =
          viewer === 0 ? new Uint32Array() : some((out) => graph.follows(viewer, 0, out))
        return filledUp(ranked(sources, viewer, 0), viewer, 0)
      }),
    relativeTo: (actor, viewer) =>
      cachedOr(`${actor} for ${viewer}`, () =>
        ranked(
          some((out) => graph.followers(actor, 0, out)),
          viewer,
          actor,
        ),
      ),
  }
}

function some(read: (out: Uint32Array) => number): Uint32Array {
  const out = new Uint32Array(MAX_SOURCES)
  return out.subarray(0, read(out))
}

/** Counts how many of the sources follow each account. */
function countFollows(graph: FollowGraphReader, sources: Uint32Array): Map<number, number> {
  const votes = new Map<number, number>()
  const out = new Uint32Array(MAX_FOLLOWS_EACH)
  for (const source of sources) {
    const length = graph.follows(source, 0, out)
    for (let i = 0; i < length; i++) votes.set(out[i]!, (votes.get(out[i]!) ?? 0) + 1)
  }
  return votes
}

function mostFollowed(graph: FollowGraphReader, count: number): number[] {
  const best: { uid: number; followers: number }[] = []
  let least = 0
  for (let uid = 1; uid <= count; uid++) {
    const followers = graph.followersCount(uid)
    if (followers <= least) continue
    best.push({ uid, followers })
    if (best.length < MAX_SUGGESTED * 4) continue
    best.sort((a, b) => b.followers - a.followers)
    best.length = MAX_SUGGESTED * 2
    least = best.at(-1)!.followers
  }
  return best.sort((a, b) => b.followers - a.followers || a.uid - b.uid).map(({ uid }) => uid)
}
