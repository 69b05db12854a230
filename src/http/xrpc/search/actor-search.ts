// Finds accounts by name for a caller. The request carries what the search itself can't know: the account of a full
// handle or DID, and whom the caller follows.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { SearchCall, Searching } from '../../../answers/skeleton/search/searches.ts'
import type { SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Accounts } from '../../../data/store/read/accounts/accounts.ts'
import { actorQuery } from '../../../data/store/search/actor-terms.ts'
import { someFollows } from '../accounts/followed-accounts.ts'

type ActorSearchContext = {
  search: Pick<Searching, 'actors'>
  actors: Pick<ActorReader, 'uidOf'>
  graph: Pick<FollowGraphReader, 'follows' | 'followsCount'>
  accounts: Pick<Accounts, 'uidOfHandle'>
}

type SearchRequest = {
  q: string
  /** 0 for a visitor. */
  viewer: number
  limit: number
  cursor: string | undefined
}

type FoundActors = SkeletonPage<number> & {
  /** The account whose full handle or DID was given; 0 if none. */
  exact: number
}

const MAX_FOLLOWS = 5_000

export function findActors(
  { search, actors, graph, accounts }: ActorSearchContext,
  requested: SearchRequest,
  call: SearchCall,
): MaybeLater<FoundActors> {
  const { q, viewer } = requested
  const did = q.trim()
  const isDid = did.startsWith('did:')
  const exact = isDid ? actors.uidOf(did) : accounts.uidOfHandle(actorQuery(q).text)
  const follows = someFollows(graph, viewer, MAX_FOLLOWS)
  const found = search.actors({ ...requested, exact, follows }, call)
  return andThen(found, (page) => ({ ...page, exact }))
}
