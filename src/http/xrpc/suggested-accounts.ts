// Suggested accounts as several methods show them: none that the viewer follows, blocks or mutes by now,
// whatever was true when they were found.

import type { Viewer } from '../../answers/hydrate/types.ts'
import { knownFollowers } from '../../answers/views/profile-view-detailed.ts'
import { profileView } from '../../answers/views/profile-views.ts'
import { viewerBlocks, viewerMutes } from '../../answers/views/rules.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method } from '../server/method.ts'
import { type AppContext, viewerOf } from './app-context.ts'

/** profileView of each, in order; `withFollowers`: also who of those one follows follows them. */
export function suggestedViews(
  { hydrator, fetchRequests, graph }: Pick<AppContext, 'hydrator' | 'fetchRequests' | 'graph'>,
  uids: readonly number[],
  { viewer, withFollowers = false }: { viewer: Viewer; withFollowers?: boolean },
) {
  const fresh = uids.filter((uid) => !viewer?.uid || !graph.has(viewer.uid, uid))
  const state = hydrator.profiles(fresh, viewer, { knownFollowers: withFollowers })
  fetchRequests.afterProfiles(state)
  return fresh.flatMap((uid) => {
    const view = profileView(state, uid)
    if (!view || viewerBlocks(state, uid) || viewerMutes(state, uid)) return []
    if (!withFollowers || !view.viewer) return [view]
    return [{ ...view, viewer: { ...view.viewer, knownFollowers: knownFollowers(state, uid) } }]
  })
}

/** The methods of app.bsky.unspecced that differ in name only; `category` is not known here. */
export function suggestedUsers(serving: AppContext, name: string): Method<{ limit: number }> {
  return {
    nsid: `app.bsky.unspecced.${name}`,
    kind: 'query',
    auth: 'optional',
    partly: 'from the follow graph; `category` makes no difference',
    handler: (context) => {
      const viewer = viewerOf(serving.actors, context.viewer)
      const uids = serving.suggestions.forViewer(viewer?.uid ?? 0)
      // Some may be left out.
      const views = suggestedViews(serving, uids.slice(0, context.params.limit * 2), { viewer })
      const actors = views.slice(0, context.params.limit)
      return { body: { actors }, headers: labelerHeaders(context) }
    },
  }
}
