// The names of the accounts a viewer follows. Most searches look for one of these, and they are few enough to
// scan one by one, which the index cannot do. Cached for a minute, since a query is typed letter by letter.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { ActorPosition, ActorSearch } from '../../../data/store/read/accounts/actor-search.ts'
import { actorTerms } from '../../../data/store/search/actor-terms.ts'

/** Each of the `terms` is preceded by a space. */
type Followed = ActorPosition & { terms: string }
type Cached = { people: Followed[]; follows: number; at: number }
type Viewing = { viewer: number; follows: Uint32Array }

const CACHED_FOR_MS = MINUTE_MS
const MAX_PEOPLE_CACHED = 200_000

type FollowedNames = {
  /** The viewer's follows whose names begin with these words, most followed first. */
  matching(viewing: Viewing, words: readonly string[]): ActorPosition[]
}

export function createFollowedNames(parts: {
  search: ActorSearch
  now?: (() => number) | undefined
}): FollowedNames {
  const { search, now = Date.now } = parts
  const cache = new Map<number, Cached>()
  let peopleStored = 0

  function of({ viewer, follows }: Viewing): Followed[] {
    const known = cache.get(viewer)
    const isFresh = known?.follows === follows.length && now() - known.at < CACHED_FOR_MS
    if (known && isFresh) return known.people
    forget(viewer)
    const people = read(follows)
    cache.set(viewer, { people, follows: follows.length, at: now() })
    peopleStored += people.length
    for (const oldest of cache.keys()) {
      if (peopleStored <= MAX_PEOPLE_CACHED) break
      forget(oldest)
    }
    return people
  }

  function forget(viewer: number): void {
    peopleStored -= cache.get(viewer)?.people.length ?? 0
    cache.delete(viewer)
  }

  function read(follows: Uint32Array): Followed[] {
    const people = search.names(follows).map(({ uid, place, ...names }) => {
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
    matching(viewing, words) {
      if (viewing.viewer === 0 || words.length === 0) return []
      const beginnings = words.map((word) => ` ${word}`)
      const named = of(viewing).filter(({ terms }) =>
        beginnings.every((beginning) => terms.includes(beginning)),
      )
      const follows = new Set(named.length > 0 ? viewing.follows : [])
      return named.filter(({ uid }) => follows.has(uid))
    },
  }
}
