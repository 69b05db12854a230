// app.bsky.graph.getBlocks: whom the viewer blocks, latest first.

import type { AppContext } from '../../../app-context.ts'
import { ownList } from '../../../own-list.ts'

export function getBlocks(serving: AppContext) {
  return ownList(serving, {
    nsid: 'app.bsky.graph.getBlocks',
    read: serving.lists.blocks,
    body: ({ views, cursor }) => ({ blocks: views, cursor }),
  })
}
