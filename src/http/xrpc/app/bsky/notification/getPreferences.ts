// app.bsky.notification.getPreferences: what the member wants to be told of. `list` and `include` are
// obeyed by listNotifications; `push` is kept for whoever sends pushes, which we don't.

import { query } from '../../../define.ts'

export const getPreferences = query(
  'app.bsky.notification.getPreferences',
  { auth: 'required', showsLabels: false },
  ({ notifications }, { viewer }) => ({
    body: { preferences: notifications.settings(viewer.uid).preferences },
  }),
)
