// Suggested accounts as several methods show them, without those that do not want to be recommended, or that the
// viewer follows, blocks or mutes by now, whatever was true when they were found.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import { knownFollowers } from '../../../answers/views/profiles/profile-view-detailed.ts'
import { profileView } from '../../../answers/views/profiles/profile-views.ts'
import { viewerBlocks, viewerMutes } from '../../../answers/views/rules.ts'
import { hiddenFromRecommendations } from '../../../data/store/read/accounts/content-visibility.ts'
import type { Call } from '../call.ts'
import { type MethodDefinition, type Needs, query } from '../define.ts'

/**
 * profileView of each, in order; with `withFollowers`, also which of the viewer's follows follow
 * them.
 */
export function suggestedViews(
  { db, hydrator, graph }: Needs<'db' | 'hydrator' | 'graph'>,
  uids: readonly number[],
  { reader, withFollowers = false }: { reader: Reader; withFollowers?: boolean },
) {
  const { viewer, missing } = reader
  const hidden = hiddenFromRecommendations(db, uids)
  const fresh = uids.filter(
    (uid) => !hidden.has(uid) && (!viewer?.uid || !graph.has(viewer.uid, uid)),
  )
  const state = hydrator.profiles(fresh, reader, { knownFollowers: withFollowers })
  missing.addProfiles(state)
  return fresh.flatMap((uid) => {
    const view = profileView(state, uid)
    if (!view || viewerBlocks(state, uid) || viewerMutes(state, uid)) return []
    if (!withFollowers || !view.viewer) return [view]
    return [{ ...view, viewer: { ...view.viewer, knownFollowers: knownFollowers(state, uid) } }]
  })
}

/** The methods of app.bsky.unspecced that differ only in name; `category` is ignored. */
export function suggestedUsers(nsid: string): MethodDefinition {
  const partly = 'from the follow graph; `category` makes no difference'
  return query(nsid, { auth: 'optional', partly }, (app, call: Call<{ limit: number }>) => {
    const { params, reader, viewer } = call
    const uids = app.suggestions.forViewer(viewer?.uid ?? 0)
    // Some may be left out.
    const views = suggestedViews(app, uids.slice(0, params.limit * 2), { reader })
    return { body: { actors: views.slice(0, params.limit) } }
  })
}
