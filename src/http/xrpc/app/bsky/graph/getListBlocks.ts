// app.bsky.graph.getListBlocks: the lists by which the viewer blocks, the latest list first.

import { ownLists } from '../../../own-lists.ts'
import type { Serving } from '../../../serving.ts'

export function getListBlocks(serving: Serving) {
  const nsid = 'app.bsky.graph.getListBlocks'
  return ownLists(serving, { nsid, read: serving.listPages.blockedBy })
}
