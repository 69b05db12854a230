// What notifications were hydrated to; see types.ts for the rest of the state.

import type { NotificationReason } from '../../data/store/notification-reasons.ts'
import type { FeedState } from './types.ts'

/** With the posts that notifications are, the gates of the viewer's own threads, and all authors. */
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
  /** posts.id, where the record is a post. */
  post: number | undefined
  /** Undefined for posts and profiles, which stand in the state themselves. */
  content: { cid: string; record: { [name: string]: unknown } } | undefined
  /** at-URI of the viewer's own record that it is about. */
  subjectUri: string | undefined
  /** at-URI of the starter pack by which a follower came. */
  starterPack: string | undefined
  sortAt: number
}
