// The state that notifications are hydrated to; see types.ts for the rest of the state.

import type { NotificationReason } from '../../data/store/notifications/notification-reasons.ts'
import type { FeedState } from './types.ts'

/**
 * Includes the posts among the notifications, the gates of the viewer's own threads, and all
 * authors.
 */
export type NotificationState = FeedState & {
  /** By notifications.id. */
  notifications: Map<number, Notification>
}

export type Notification = {
  id: number
  reason: NotificationReason
  /** The record's creator. */
  author: number
  uri: string
  /** posts.id if the record is a post. */
  post: number | undefined
  /** Undefined for posts and profiles, which the state holds elsewhere. */
  content: { cid: string; record: { [name: string]: unknown } } | undefined
  /** at-URI of the viewer's record that the notification is about. */
  subjectUri: string | undefined
  /** at-URI of the starter pack that led to the follow. */
  starterPack: string | undefined
  sortAt: number
}
