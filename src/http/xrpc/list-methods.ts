// Every method about lists of accounts, but for mutes by list.

import type { Method } from '../server/method.ts'
import { getListFeed } from './app/bsky/feed/getListFeed.ts'
import { getList } from './app/bsky/graph/getList.ts'
import { getListBlocks } from './app/bsky/graph/getListBlocks.ts'
import { getLists } from './app/bsky/graph/getLists.ts'
import { getListsWithMembership } from './app/bsky/graph/getListsWithMembership.ts'
import type { AppContext } from './app-context.ts'

export function listMethods(serving: AppContext): Method[] {
  return [
    getList(serving),
    getLists(serving),
    getListsWithMembership(serving),
    getListBlocks(serving),
    getListFeed(serving),
  ]
}
