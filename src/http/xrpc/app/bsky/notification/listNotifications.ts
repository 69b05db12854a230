// app.bsky.notification.listNotifications: newest first. The app polls it every half minute. As in the
// reference, for a member that never called updateSeen only the top notification is unread. Not as there,
// `priority` is only what the request says: the setting of old clients hid most notifications for ever, as no
// client of today can switch it off.

import type { AppBskyNotificationListNotifications } from '@atproto/api'
import type { NotificationSkeleton } from '../../../../../answers/skeleton/notifications.ts'
import { datetime } from '../../../../../answers/views/fields.ts'
import {
  isNotificationHidden,
  notificationView,
} from '../../../../../answers/views/notification-view.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { type Page, pagedMethod } from '../../../paging/paged-method.ts'
import { hydrated } from '../../../paging/present.ts'

type ListCall = SignedInCall<AppBskyNotificationListNotifications.QueryParams>
/** `seenAt` in milliseconds; undefined if the member never called updateSeen. */
type Settings = { priority: boolean; seenAt: number | undefined }
type ListPage = Page<ListCall, Settings, NotificationSkeleton>

export const listNotifications = pagedMethod(
  'app.bsky.notification.listNotifications',
  { auth: 'required', ready: (app, call) => app.firstNotifications(call) },
  {
    about: settingsFor,
    skeleton: ({ notifications }, { about: { priority }, call, range }) =>
      notifications.page({
        viewer: call.viewer.uid,
        reasons: (call as ListCall).params.reasons,
        priority,
        ...range,
      }),
    present: hydrated({
      hydrate: ({ hydrator }, ids: readonly number[], reader) =>
        hydrator.notifications(ids, reader),
      filter: (state, id) => !isNotificationHidden(state, id),
      view: (state, id, page: ListPage) => notificationView(state, id, seenAt(page)),
    }),
    body(notifications, page) {
      const { about, cursor, reads } = page
      const seen = reads.length === 0 ? undefined : seenAt(page)
      return {
        notifications,
        cursor,
        priority: about.priority,
        seenAt: seen === undefined ? undefined : datetime(seen),
      }
    },
  },
)

function settingsFor(
  { notifications }: Needs<'notifications'>,
  { params, viewer }: ListCall,
): Settings {
  if (params.seenAt) throw invalidRequest('The seenAt parameter is unsupported')
  const { seenAt } = notifications.settings(viewer.uid)
  return { priority: params.priority ?? false, seenAt }
}

function seenAt({ about, call, reads }: ListPage): number | undefined {
  const isFirstPage = (call.params as { cursor?: string }).cursor === undefined
  return about.seenAt ?? (isFirstPage ? reads[0]?.newest : undefined)
}
