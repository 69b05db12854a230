// app.bsky.actor.getPreferences: for clients that ask the AppView instead of the PDS, which keeps
// preferences as a rule. What was put here, or nothing: an empty list is a client's own defaults, while
// an error keeps some from starting at all.

import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function getActorPreferences({ actors, preferencesOf }: AppContext): Method {
  return {
    nsid: 'app.bsky.actor.getPreferences',
    kind: 'query',
    auth: 'required',
    handler: ({ viewer }) => ({ body: { preferences: preferencesOf(actors.uidOf(viewer!)) } }),
  }
}
