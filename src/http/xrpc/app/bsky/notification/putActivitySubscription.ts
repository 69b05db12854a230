// app.bsky.notification.putActivitySubscription: to be told of somebody's posts, or replies too; of
// neither ends it. Private state, kept here and in no repository.

import type { AppBskyNotificationPutActivitySubscription } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method, Params } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

const MAX_SUBSCRIPTIONS = 2_000

export function putActivitySubscription({
  actors,
  notifications,
  resolver,
  writer,
}: AppContext): Method<Params, AppBskyNotificationPutActivitySubscription.InputSchema> {
  return {
    nsid: 'app.bsky.notification.putActivitySubscription',
    kind: 'procedure',
    auth: 'required',
    handler: async ({ viewer: did, input: { subject, activitySubscription } }) => {
      const { post, reply } = activitySubscription
      if (subject === did) throw invalidRequest('Cannot subscribe to own activity')
      const isOn = post || reply
      if (isOn) await mayBegin(subject)
      if (isOn && notifications.subscriptionCount(actors.uidOf(did!)) >= MAX_SUBSCRIPTIONS) {
        throw invalidRequest(`At most ${MAX_SUBSCRIPTIONS} accounts can be subscribed to`)
      }
      await writer.send({ kind: 'activity-subscription', did: did!, subject, post, reply })
      return { body: { subject, activitySubscription: isOn ? { post, reply } : undefined } }
    },
  }

  /** An account that we never heard of has to exist, or anybody could fill our tables. */
  async function mayBegin(subject: string): Promise<void> {
    const exists = actors.uidOf(subject) !== 0 || (await resolver.resolve(subject))
    if (!exists) throw invalidRequest('Actor not found')
  }
}
