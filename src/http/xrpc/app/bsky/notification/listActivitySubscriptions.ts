// app.bsky.notification.listActivitySubscriptions: whose posts the viewer asked to be told of, latest
// first, without those with whom there is a block.

import type { AppBskyActorDefs, AppBskyNotificationListActivitySubscriptions } from '@atproto/api'
import type { ProfileState } from '../../../../../answers/hydrate/types.ts'
import { isRetiredCursor } from '../../../../../answers/skeleton/page-cursor.ts'
import { activitySubscription } from '../../../../../answers/views/activity-subscription.ts'
import { profileView } from '../../../../../answers/views/profile-views.ts'
import { viewerBlocks } from '../../../../../answers/views/rules.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { fillPage } from '../../../fill-page.ts'

type Params = AppBskyNotificationListActivitySubscriptions.QueryParams & { limit: number }

export function listActivitySubscriptions(serving: AppContext): Method<Params> {
  const { actors, hydrator, lists, fetchRequests } = serving
  return {
    nsid: 'app.bsky.notification.listActivitySubscriptions',
    kind: 'query',
    auth: 'required',
    handler: (context) => {
      const { limit, cursor } = context.params
      const viewer = viewerOf(actors, context.viewer!)
      const headers = labelerHeaders(context)
      if (isRetiredCursor(cursor)) return { body: { subscriptions: [] }, headers }
      const page = fillPage({ limit, cursor }, (from, count) => {
        const request = { actor: viewer.uid, limit: count, cursor: from }
        const { uids, cursor: next } = lists.subscriptions(request)
        const state = hydrator.profiles(uids, viewer, { detailed: true })
        fetchRequests.afterProfiles(state)
        const views = uids
          .filter((uid) => !viewerBlocks(state, uid))
          .map((uid) => subscribedView(state, uid))
        return { items: views.filter((view) => view !== undefined), cursor: next }
      })
      return { body: { subscriptions: page.items, cursor: page.cursor }, headers }
    },
  }
}

function subscribedView(
  state: ProfileState,
  uid: number,
): AppBskyActorDefs.ProfileView | undefined {
  const view = profileView(state, uid)
  const subscription = activitySubscription(state, uid)
  return view && { ...view, viewer: { ...view.viewer, activitySubscription: subscription } }
}
