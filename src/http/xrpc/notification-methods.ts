// Every method of app.bsky.notification.

import type { Method } from '../server/method.ts'
import { getPreferences } from './app/bsky/notification/getPreferences.ts'
import { getUnreadCount } from './app/bsky/notification/getUnreadCount.ts'
import { listActivitySubscriptions } from './app/bsky/notification/listActivitySubscriptions.ts'
import { listNotifications } from './app/bsky/notification/listNotifications.ts'
import { putActivitySubscription } from './app/bsky/notification/putActivitySubscription.ts'
import { putPreferences } from './app/bsky/notification/putPreferences.ts'
import { putPreferencesV2 } from './app/bsky/notification/putPreferencesV2.ts'
import { registerPush } from './app/bsky/notification/registerPush.ts'
import { unregisterPush } from './app/bsky/notification/unregisterPush.ts'
import { updateSeen } from './app/bsky/notification/updateSeen.ts'
import type { AppContext } from './app-context.ts'

export function notificationMethods(serving: AppContext): Method[] {
  return [
    listNotifications(serving),
    getUnreadCount(serving),
    updateSeen(serving),
    getPreferences(serving),
    putPreferences(serving),
    putPreferencesV2(serving),
    listActivitySubscriptions(serving),
    putActivitySubscription(serving),
    registerPush(),
    unregisterPush(),
  ]
}
