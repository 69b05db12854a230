// app.bsky.notification.listNotifications: newest first. The app asks for it every half minute.
//
// As in the reference, who never said what they have seen finds the top one unread and all others
// read, and `priority` is the member's own setting unless the request says otherwise.

import type { AppBskyNotificationListNotifications } from '@atproto/api'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { datetime } from '../../../../../answers/views/fields.ts'
import {
  isNotificationHidden,
  notificationView,
} from '../../../../../answers/views/notification-view.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'

type Params = AppBskyNotificationListNotifications.QueryParams & { limit: number }

export function listNotifications(serving: AppContext): Method<Params> {
  const { actors, hydrator, notifications, fetchRequests } = serving
  return {
    nsid: 'app.bsky.notification.listNotifications',
    kind: 'query',
    auth: 'required',
    ready: serving.firstNotifications,
    handler: (context) => {
      const { limit, cursor, reasons } = context.params
      if (context.params.seenAt) throw invalidRequest('The seenAt parameter is unsupported')
      const viewer = viewerOf(actors, context.viewer!)
      const settings = notifications.settings(viewer.uid)
      const priority = context.params.priority ?? settings.priority
      const headers = labelerHeaders(context)
      if (isRetiredCursor(cursor)) return { body: { notifications: [], priority }, headers }
      let { seenAt } = settings
      const page = fillPage({ limit, cursor }, (from, count) => {
        const request = { viewer: viewer.uid, limit: count, cursor: from, reasons, priority }
        const { ids, newest, cursor: next } = notifications.page(request)
        if (from === undefined) seenAt ??= newest
        const state = hydrator.notifications(ids, viewer)
        fetchRequests.afterProfiles(state)
        const views = ids
          .filter((id) => !isNotificationHidden(state, id))
          .map((id) => notificationView(state, id, seenAt))
        return { items: views.filter((view) => view !== undefined), cursor: next }
      })
      const body = {
        notifications: page.items,
        cursor: page.cursor,
        priority,
        seenAt: seenAt === undefined ? undefined : datetime(seenAt),
      }
      return { body, headers }
    },
  }
}
