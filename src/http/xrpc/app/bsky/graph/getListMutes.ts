// app.bsky.graph.getListMutes: the lists by which the viewer mutes, the latest list first.

import type { AppContext } from '../../../app-context.ts'
import { ownLists } from '../../../own-lists.ts'

export function getListMutes(serving: AppContext) {
  const nsid = 'app.bsky.graph.getListMutes'
  return ownLists(serving, { nsid, read: serving.listPages.mutedBy })
}
