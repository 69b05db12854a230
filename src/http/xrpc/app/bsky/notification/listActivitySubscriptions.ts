// app.bsky.notification.listActivitySubscriptions: accounts whose posts the viewer subscribed to, latest
// first, without those in a block with the viewer.

import type { AppBskyActorDefs } from '@atproto/api'
import type { ProfileState } from '../../../../../answers/hydrate/types.ts'
import { activitySubscription } from '../../../../../answers/views/profiles/activity-subscription.ts'
import { profileView } from '../../../../../answers/views/profiles/profile-views.ts'
import { viewerBlocks } from '../../../../../answers/views/rules.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { hydrated } from '../../../paging/present.ts'

export const listActivitySubscriptions = pagedMethod(
  'app.bsky.notification.listActivitySubscriptions',
  { auth: 'required' },
  {
    skeleton: ({ lists }, { call, range }) =>
      lists.subscriptions({ actor: call.viewer.uid, ...range }),
    present: hydrated({
      hydrate: ({ hydrator }, uids: readonly number[], reader) =>
        hydrator.profiles(uids, reader, { detailed: true }),
      filter: (state, uid) => !viewerBlocks(state, uid),
      view: subscribedView,
    }),
    body: 'subscriptions',
  },
)

function subscribedView(
  state: ProfileState,
  uid: number,
): AppBskyActorDefs.ProfileView | undefined {
  const view = profileView(state, uid)
  const subscription = activitySubscription(state, uid)
  return view && { ...view, viewer: { ...view.viewer, activitySubscription: subscription } }
}
