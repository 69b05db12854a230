// Posts of a feed that are neither here nor arrived from their PDS: somebody else may have them (elsewhere.ts).

import type { Hydrator } from '../../../answers/hydrate/hydrator-types.ts'
import type { ListPages } from '../../../answers/skeleton/list-pages.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { PostsByUri } from '../../../data/store/read/posts/posts-by-uri.ts'
import type { Call } from '../call.ts'
import type { Scope } from '../strangers/holdings.ts'

/** What our own rules about others' views are read with. */
export type OwnKnowledge = {
  actors: ActorReader
  hydrator: Hydrator
  listPages: ListPages
  postsByUri: PostsByUri
  scope: Scope
}

export type PostsElsewhere = {
  /** Views of those of these posts that are known and may be shown, by at-URI. */
  posts(
    own: OwnKnowledge,
    call: Call,
    uris: readonly string[],
  ): Promise<ReadonlyMap<string, object>>
}

const NONE: ReadonlyMap<string, object> = new Map()

export const NOBODY_ELSE: PostsElsewhere = { posts: async () => NONE }
