// app.bsky.notification.getUnreadCount: of what listNotifications shows, how much came since the
// member last looked. Counted up to a bound (answers/skeleton/notifications.ts), and without those with whom
// there is a block or a mute, so that no badge points at nothing.

import type { AppBskyNotificationGetUnreadCount } from '@atproto/api'
import { viewerBlocks, viewerMutes } from '../../../../../answers/views/rules.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

type Params = AppBskyNotificationGetUnreadCount.QueryParams

export function getUnreadCount({
  actors,
  firstNotifications,
  hydrator,
  notifications,
}: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.notification.getUnreadCount',
    kind: 'query',
    auth: 'required',
    ready: firstNotifications,
    handler: ({ viewer: did, params }) => {
      if (params.seenAt) throw invalidRequest('The seenAt parameter is unsupported')
      const viewer = viewerOf(actors, did!)
      const unseen = notifications.unseen(viewer.uid)
      const state = hydrator.profiles([...unseen.keys()], viewer)
      const shown = [...unseen].filter(
        ([author]) =>
          !viewerBlocks(state, author) &&
          !viewerMutes(state, author) &&
          !state.actors.get(author)?.hiddenAs,
      )
      return { body: { count: shown.reduce((sum, [, count]) => sum + count, 0) } }
    },
  }
}
