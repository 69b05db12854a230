// app.bsky.notification.putPreferencesV2: sets the given preferences and keeps the others. Returns the
// resulting preferences.

import type { AppBskyNotificationPutPreferencesV2 } from '@atproto/api'
import { knownPreferences } from '../../../../../data/store/notifications/notification-preferences.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'

export const putPreferencesV2 = procedure(
  'app.bsky.notification.putPreferencesV2',
  {},
  async (
    { actors, notifications, writer },
    call: SignedInCall<unknown, AppBskyNotificationPutPreferencesV2.InputSchema>,
  ) => {
    const { did } = call.viewer
    const patch = knownPreferences({ ...call.input })
    await writer.send({ kind: 'notification-preferences', did, patch })
    // The write may have created the account's row, so looks up its uid again.
    return { body: { preferences: notifications.settings(actors.uidOf(did)).preferences } }
  },
)
