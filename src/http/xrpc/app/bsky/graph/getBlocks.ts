// app.bsky.graph.getBlocks: whom the viewer blocks, latest first.

import { ownList } from '../../../own-list.ts'
import type { Serving } from '../../../serving.ts'

export function getBlocks(serving: Serving) {
  return ownList(serving, {
    nsid: 'app.bsky.graph.getBlocks',
    read: serving.lists.blocks,
    body: ({ views, cursor }) => ({ blocks: views, cursor }),
  })
}
