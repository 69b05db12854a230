// app.bsky.notification.getUnreadCount: how many of the notifications in listNotifications arrived since the
// member last looked.

import type { AppBskyNotificationGetUnreadCount } from '@atproto/api'
import { unreadCount } from '../../../../../answers/views/unread-count.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { query } from '../../../define.ts'

export const getUnreadCount = query(
  'app.bsky.notification.getUnreadCount',
  { auth: 'required', showsLabels: false, ready: (app, call) => app.firstNotifications(call) },
  (app, call: SignedInCall<AppBskyNotificationGetUnreadCount.QueryParams>) => {
    if (call.params.seenAt) throw invalidRequest('The seenAt parameter is unsupported')
    const unseen = app.notifications.unseen(call.viewer.uid)
    return { body: { count: unreadCount(app.hydrator, unseen, call.reader) } }
  },
)
