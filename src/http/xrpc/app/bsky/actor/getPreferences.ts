// app.bsky.actor.getPreferences: for clients that ask the AppView instead of the PDS, which usually keeps
// preferences. Returns the preferences that were put here, or an empty list: that means a client's own
// defaults, while an error keeps some clients from starting at all.

import { query } from '../../../define.ts'

export const getActorPreferences = query(
  'app.bsky.actor.getPreferences',
  { auth: 'required', showsLabels: false },
  ({ preferencesOf }, { viewer }) => ({ body: { preferences: preferencesOf(viewer.uid) } }),
)
