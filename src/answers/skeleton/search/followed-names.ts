// The names of the accounts a viewer follows. Most searches look for one of these, and they are few enough to
// scan one by one, which the index cannot do. Cached for a minute, since a query is typed letter by letter.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { FollowGraphReader } from '../../../data/graph/types.ts'
import { actorTerms } from '../../../data/search/actor-terms.ts'
import type { ActorPlace, ActorSearch } from '../../../data/store/read/actor-search.ts'

/** Each of the `terms` is preceded by a space. */
type Followed = ActorPlace & { terms: string }
type Kept = { people: Followed[]; follows: number; at: number }

const KEPT_FOR_MS = MINUTE_MS
const MAX_PEOPLE = 5_000
const MAX_PEOPLE_KEPT = 200_000

type FollowedNames = {
  /** The viewer's follows whose names begin with these words, most followed first. */
  matching(viewer: number, words: readonly string[]): ActorPlace[]
}

export function createFollowedNames(parts: {
  graph: FollowGraphReader
  search: ActorSearch
  now?: () => number
}): FollowedNames {
  const { graph, search, now = Date.now } = parts
  const kept = new Map<number, Kept>()
  let peopleKept = 0

  function of(viewer: number): Followed[] {
    const known = kept.get(viewer)
    const follows = graph.followsCount(viewer)
    const isFresh = known && known.follows === follows && now() - known.at < KEPT_FOR_MS
    if (isFresh) return known.people
    forget(viewer)
    const people = read(viewer)
    kept.set(viewer, { people, follows, at: now() })
    peopleKept += people.length
    for (const oldest of kept.keys()) {
      if (peopleKept <= MAX_PEOPLE_KEPT) break
      forget(oldest)
    }
    return people
  }

  function forget(viewer: number): void {
    peopleKept -= kept.get(viewer)?.people.length ?? 0
    kept.delete(viewer)
  }

  function read(viewer: number): Followed[] {
    const uids = new Uint32Array(Math.min(graph.followsCount(viewer), MAX_PEOPLE))
    const length = graph.follows(viewer, 0, uids)
    const people = search.names(uids.subarray(0, length)).map(({ uid, place, ...names }) => {
      return {
        uid,
        place,
        terms: actorTerms(names)
          .map((term) => ` ${term}`)
          .join(''),
      }
    })
    return people.sort((a, b) => a.place - b.place)
  }

  return {
    matching(viewer, words) {
      if (viewer === 0 || words.length === 0) return []
      const beginnings = words.map((word) => ` ${word}`)
      return of(viewer).filter(
        ({ uid, terms }) =>
          beginnings.every((beginning) => terms.includes(beginning)) && graph.has(viewer, uid),
      )
    },
  }
}
