// app.bsky.graph.getMutes: whom the viewer has muted, latest first.

import type { AppContext } from '../../../app-context.ts'
import { ownList } from '../../../own-list.ts'

export function getMutes(serving: AppContext) {
  return ownList(serving, {
    nsid: 'app.bsky.graph.getMutes',
    read: serving.lists.mutes,
    body: ({ views, cursor }) => ({ mutes: views, cursor }),
  })
}
