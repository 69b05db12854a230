// app.bsky.actor.getPreferences: for clients that ask the AppView instead of the PDS, which keeps
// preferences as a rule. What was put here, or nothing: an empty list is a client's own defaults, while
// an error keeps some from starting at all.

import { query } from '../../../define.ts'

export const getActorPreferences = query(
  'app.bsky.actor.getPreferences',
  { auth: 'required', showsLabels: false },
  ({ preferencesOf }, { viewer }) => ({ body: { preferences: preferencesOf(viewer.uid) } }),
)
