// The methods about threads, and about who did what to a post.

import type { Method } from '../server/method.ts'
import { getActorLikes } from './app/bsky/feed/getActorLikes.ts'
import { getLikes } from './app/bsky/feed/getLikes.ts'
import { getPostThread } from './app/bsky/feed/getPostThread.ts'
import { getQuotes } from './app/bsky/feed/getQuotes.ts'
import { getRepostedBy } from './app/bsky/feed/getRepostedBy.ts'
import { muteThread } from './app/bsky/graph/muteThread.ts'
import { unmuteThread } from './app/bsky/graph/unmuteThread.ts'
import { getPostThreadOtherV2 } from './app/bsky/unspecced/getPostThreadOtherV2.ts'
import { getPostThreadV2 } from './app/bsky/unspecced/getPostThreadV2.ts'
import type { AppContext } from './app-context.ts'

export function threadMethods(serving: AppContext): Method[] {
  return [
    getPostThreadV2(serving),
    getPostThreadOtherV2(serving),
    getPostThread(serving),
    getLikes(serving),
    getRepostedBy(serving),
    getQuotes(serving),
    getActorLikes(serving),
    muteThread(serving),
    unmuteThread(serving),
  ]
}
