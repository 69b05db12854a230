// app.bsky.graph.getMutes: whom the viewer has muted, latest first.

import { ownList } from '../../../own-list.ts'
import type { Serving } from '../../../serving.ts'

export function getMutes(serving: Serving) {
  return ownList(serving, {
    nsid: 'app.bsky.graph.getMutes',
    read: serving.lists.mutes,
    body: ({ views, cursor }) => ({ mutes: views, cursor }),
  })
}
