// app.bsky.notification.getPreferences: what the member wants to be told of. `list` and `include` are
// obeyed by listNotifications; `push` is kept for whoever sends pushes, which we don't.

import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

export function getPreferences({ actors, notifications }: AppContext): Method {
  return {
    nsid: 'app.bsky.notification.getPreferences',
    kind: 'query',
    auth: 'required',
    handler: ({ viewer }) => {
      const { uid } = viewerOf(actors, viewer!)
      return { body: { preferences: notifications.settings(uid).preferences } }
    },
  }
}
