// The methods of search.

import type { Method } from '../server/method.ts'
import { searchActors } from './app/bsky/actor/searchActors.ts'
import { searchActorsTypeahead } from './app/bsky/actor/searchActorsTypeahead.ts'
import { searchPosts } from './app/bsky/feed/searchPosts.ts'
import { searchPostsV2 } from './app/bsky/feed/searchPostsV2.ts'
import { searchStarterPacks } from './app/bsky/graph/searchStarterPacks.ts'
import { searchStarterPacksV2 } from './app/bsky/graph/searchStarterPacksV2.ts'
import type { AppContext } from './app-context.ts'

export function searchMethods(serving: AppContext): Method[] {
  return [
    searchActorsTypeahead(serving),
    searchActors(serving),
    searchPosts(serving),
    searchPostsV2(serving),
    searchStarterPacks(serving),
    searchStarterPacksV2(serving),
  ]
}
