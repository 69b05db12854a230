// app.bsky.graph.getListBlocks: the lists by which the viewer blocks, the latest list first.

import type { AppContext } from '../../../app-context.ts'
import { ownLists } from '../../../own-lists.ts'

export function getListBlocks(serving: AppContext) {
  const nsid = 'app.bsky.graph.getListBlocks'
  return ownLists(serving, { nsid, read: serving.listPages.blockedBy })
}
