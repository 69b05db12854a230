// app.bsky.notification.getUnreadCount: how many of the notifications in listNotifications arrived since the
// member last looked. Counted up to a bound (answers/skeleton/notifications.ts), without accounts that are
// blocked or muted, so that no badge leads to an empty list.

import type { AppBskyNotificationGetUnreadCount } from '@atproto/api'
import { viewerBlocks, viewerMutes } from '../../../../../answers/views/rules.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { query } from '../../../define.ts'

export const getUnreadCount = query(
  'app.bsky.notification.getUnreadCount',
  { auth: 'required', showsLabels: false, ready: (app, call) => app.firstNotifications(call) },
  (app, call: SignedInCall<AppBskyNotificationGetUnreadCount.QueryParams>) => {
    if (call.params.seenAt) throw invalidRequest('The seenAt parameter is unsupported')
    const unseen = app.notifications.unseen(call.viewer.uid)
    const state = app.hydrator.profiles([...unseen.keys()], call.reader)
    const shown = [...unseen].filter(
      ([author]) =>
        !viewerBlocks(state, author) &&
        !viewerMutes(state, author) &&
        !state.actors.get(author)?.hiddenAs,
    )
    return { body: { count: shown.reduce((sum, [, count]) => sum + count, 0) } }
  },
)
