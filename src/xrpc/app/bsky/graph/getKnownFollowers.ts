// app.bsky.graph.getKnownFollowers: those whom the viewer follows and who follow the actor. Stable
// order and real pages, see skeleton/known-followers.ts.

import type { AppBskyGraphGetKnownFollowers } from '@atproto/api'
import { isRetiredCursor } from '../../../../skeleton/page-cursor.ts'
import { profileView } from '../../../../views/profile-views.ts'
import { viewerBlocks } from '../../../../views/rules.ts'
import { labelerHeaders } from '../../../answer-headers.ts'
import { fillPage } from '../../../fill-page.ts'
import type { Method } from '../../../method.ts'
import { type Serving, viewerOf } from '../../../serving.ts'
import { visibleSubject } from '../../../visible-subject.ts'

type Params = AppBskyGraphGetKnownFollowers.QueryParams & { limit: number }

export function getKnownFollowers(serving: Serving): Method<Params> {
  const { actors, hydrator, knownFollowers, wanted } = serving
  return {
    nsid: 'app.bsky.graph.getKnownFollowers',
    kind: 'query',
    auth: 'required',
    handler: async (context) => {
      const { actor, limit, cursor } = context.params
      const viewer = viewerOf(actors, context.viewer!)
      const { uid, view: subject } = await visibleSubject(serving, actor, viewer)
      const headers = labelerHeaders(context)
      if (isRetiredCursor(cursor)) return { body: { subject, followers: [] }, headers }
      const page = fillPage({ limit, cursor }, (from, count) => {
        const request = { viewer: viewer.uid, subject: uid, limit: count, cursor: from }
        const { uids, cursor: next } = knownFollowers.page(request)
        const state = hydrator.profiles(uids, viewer)
        wanted.afterProfiles(state)
        const views = uids
          .filter((follower) => !viewerBlocks(state, follower))
          .map((follower) => profileView(state, follower))
        return { items: views.filter((view) => view !== undefined), cursor: next }
      })
      return { body: { subject, followers: page.items, cursor: page.cursor }, headers }
    },
  }
}
