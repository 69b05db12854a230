// The viewer's activity subscription to an account: `viewer.activitySubscription`. As in the reference, it
// shows only while the account lets the viewer subscribe: followers, unless the account declares otherwise.

import type { AppBskyNotificationDefs } from '@atproto/api'
import type { ProfileState } from '../../hydrate/types.ts'

export function activitySubscription(
  { about, activitySubscriptions, relations }: ProfileState,
  uid: number,
): AppBskyNotificationDefs.ActivitySubscription | undefined {
  const relation = relations.get(uid)
  const allows = about.get(uid)?.allowSubscriptions ?? 'followers'
  if (allows === 'none' || relation?.following === undefined) return undefined
  if (allows === 'mutuals' && relation.followedBy === undefined) return undefined
  const subscription = activitySubscriptions.get(uid)
  return subscription && { post: subscription.post, reply: subscription.reply }
}
