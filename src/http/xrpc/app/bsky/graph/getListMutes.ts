// app.bsky.graph.getListMutes: the lists by which the viewer mutes, the latest list first.

import { ownLists } from '../../../own-lists.ts'
import type { Serving } from '../../../serving.ts'

export function getListMutes(serving: Serving) {
  const nsid = 'app.bsky.graph.getListMutes'
  return ownLists(serving, { nsid, read: serving.listPages.mutedBy })
}
