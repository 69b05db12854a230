// app.bsky.notification.listNotifications#notification, and the rules for notifications that are not shown.
// As in the reference, hides notifications from accounts that the viewer mutes or has a block with, and
// replies that the viewer hid in their own threads.

import type { AppBskyNotificationListNotifications } from '@atproto/api'
import type { Notification, NotificationState } from '../hydrate/notification-types.ts'
import { datetime } from './fields.ts'
import { labelsOf, viewerSeesNeedsReview } from './labels.ts'
import { profileView } from './profiles/profile-views.ts'
import { viewerBlocks, viewerMutes } from './rules.ts'
import { selfLabels } from './self-labels.ts'
import { starterPackViewBasic } from './starter-pack-view.ts'

type View = AppBskyNotificationListNotifications.Notification
type Content = { cid: string; record: { [name: string]: unknown } }

const reviewed = new Set(['reply', 'quote', 'mention', 'like', 'follow'])

export function isNotificationHidden(state: NotificationState, id: number): boolean {
  const notification = state.notifications.get(id)
  if (!notification) return true
  const { author } = notification
  if (viewerBlocks(state, author) || viewerMutes(state, author)) return true
  if (
    reviewed.has(notification.reason) &&
    !viewerSeesNeedsReview(state, { uid: author, record: notification.uri })
  ) {
    return true
  }
  return notification.reason === 'reply' && isHiddenByViewer(state, notification)
}

/** Whether lists have it. */
export function isNotificationVisible(state: NotificationState, id: number): boolean {
  return !isNotificationHidden(state, id) && notificationView(state, id, undefined) !== undefined
}

/**
 * @param seenAt - milliseconds; if undefined, all count as seen, as in the reference
 * @returns undefined if its author or record cannot be shown
 */
export function notificationView(
  state: NotificationState,
  id: number,
  seenAt: number | undefined,
): View | undefined {
  const notification = state.notifications.get(id)
  const author = notification && profileView(state, notification.author)
  const content = notification && contentOf(state, notification)
  if (!author || !content) return undefined
  const { uri, reason, subjectUri, starterPack, sortAt } = notification
  const { cid, record } = content
  return {
    uri,
    cid,
    author,
    reason,
    reasonSubject: subjectUri,
    record,
    starterPack: starterPack ? starterPackViewBasic(state, starterPack) : undefined,
    isRead: seenAt === undefined || seenAt > sortAt,
    indexedAt: datetime(sortAt),
    labels: [...labelsOf(state, uri), ...selfLabels(record, { did: author.did, uri, cid })],
  }
}

function contentOf(
  state: NotificationState,
  { author, content, post, reason }: Notification,
): Content | undefined {
  if (content) return content
  const complete =
    reason === 'starterpack-joined' ? profileOf(state, author) : state.posts.get(post ?? 0)
  return complete && { cid: complete.cid, record: complete.record as Content['record'] }
}

function profileOf(state: NotificationState, uid: number) {
  return state.actors.get(uid)?.profile
}

function isHiddenByViewer(state: NotificationState, { post = 0, uri }: Notification): boolean {
  const root = state.posts.get(post)?.root ?? 0
  if (state.postRefs.get(root)?.uid !== state.viewer?.uid) return false
  return state.threadgates.get(root)?.record.hiddenReplies?.includes(uri) ?? false
}
