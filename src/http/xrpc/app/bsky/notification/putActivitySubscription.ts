// app.bsky.notification.putActivitySubscription: subscribes to an account's posts, or to its replies too;
// choosing neither ends the subscription. Private state, kept here and in no repository.

import type { AppBskyNotificationPutActivitySubscription } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../../call.ts'
import { procedure } from '../../../define.ts'
import { checkExists } from '../../../naming/existing.ts'

const MAX_SUBSCRIPTIONS = 2_000

export const putActivitySubscription = procedure(
  'app.bsky.notification.putActivitySubscription',
  {},
  async (
    app,
    call: SignedInCall<unknown, AppBskyNotificationPutActivitySubscription.InputSchema>,
  ) => {
    const { did, uid } = call.viewer
    const { subject, activitySubscription } = call.input
    const { post, reply } = activitySubscription
    if (subject === did) throw invalidRequest('Cannot subscribe to own activity')
    const isOn = post || reply
    if (isOn) await checkExists(app, subject, { by: call, refusal: 'Actor not found' })
    if (isOn && app.notifications.subscriptionCount(uid) >= MAX_SUBSCRIPTIONS) {
      throw invalidRequest(`At most ${MAX_SUBSCRIPTIONS} accounts can be subscribed to`)
    }
    await app.writer.send({ kind: 'activity-subscription', did, subject, post, reply })
    return { body: { subject, activitySubscription: isOn ? { post, reply } : undefined } }
  },
)
