// app.bsky.notification.getUnreadCount: how many of the notifications in listNotifications arrived since the
// member last looked, so that no badge leads to an empty list: the newest are counted if the list shows them,
// those below, of which no client tells the number, if their accounts are shown.

import type { AppBskyNotificationGetUnreadCount } from '@atproto/api'
import { isNotificationShown } from '../../../../../answers/views/notification-view.ts'
import { viewerBlocks, viewerMutes } from '../../../../../answers/views/rules.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { query } from '../../../define.ts'

/** Clients say "30+" from there on. */
const MAX_EXACT = 100

export const getUnreadCount = query(
  'app.bsky.notification.getUnreadCount',
  { auth: 'required', showsLabels: false, ready: (app, call) => app.firstNotifications(call) },
  (app, call: SignedInCall<AppBskyNotificationGetUnreadCount.QueryParams>) => {
    if (call.params.seenAt) throw invalidRequest('The seenAt parameter is unsupported')
    const unseen = app.notifications.unseen(call.viewer.uid)
    const newest = unseen.slice(0, MAX_EXACT).map(({ id }) => id)
    const state = app.hydrator.notifications(newest, call.reader)
    const shown = newest.filter((id) => isNotificationShown(state, id))
    const below = unseen.slice(MAX_EXACT).map(({ author }) => author)
    const accounts = app.hydrator.profiles([...new Set(below)], call.reader)
    const further = below.filter(
      (author) =>
        !viewerBlocks(accounts, author) &&
        !viewerMutes(accounts, author) &&
        !accounts.actors.get(author)?.hiddenAs,
    )
    return { body: { count: shown.length + further.length } }
  },
)
