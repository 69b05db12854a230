// app.bsky.notification.putPreferencesV2: sets what is named and leaves the rest. Answers with what
// holds from now on.

import type { AppBskyNotificationPutPreferencesV2 } from '@atproto/api'
import { knownPreferences } from '../../../../../data/store/notification-preferences.ts'
import type { Method, Params } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

export function putPreferencesV2({
  actors,
  notifications,
  writer,
}: AppContext): Method<Params, AppBskyNotificationPutPreferencesV2.InputSchema> {
  return {
    nsid: 'app.bsky.notification.putPreferencesV2',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer, input }) => {
      const patch = knownPreferences({ ...input })
      await writer.send({ kind: 'notification-preferences', did: viewer!, patch })
      const { uid } = viewerOf(actors, viewer!)
      return { body: { preferences: notifications.settings(uid).preferences } }
    },
  }
}
