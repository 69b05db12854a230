// app.bsky.notification.getPreferences: the member's notification preferences. listNotifications obeys `list`
// and `include`, pushes obey `push`.

import { query } from '../../../define.ts'

export const getPreferences = query(
  'app.bsky.notification.getPreferences',
  { auth: 'required', showsLabels: false },
  ({ notifications }, { viewer }) => ({
    body: { preferences: notifications.settings(viewer.uid).preferences },
  }),
)
