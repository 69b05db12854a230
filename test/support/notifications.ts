// Helpers that read notifications in tests, over real requests.

import { allPages, type Query, type ServingWorld } from './serving-world.ts'

export const LIST = 'app.bsky.notification.listNotifications'

export type Notification = {
  uri: string
  cid: string
  author: { did: string }
  reason: string
  reasonSubject?: string
  record: Record<string, unknown>
  isRead: boolean
  indexedAt: string
  labels: { val: string }[]
}

export type NotificationPage = {
  notifications: Notification[]
  cursor?: string
  priority?: boolean
  seenAt?: string
}

export function readPage(w: ServingWorld, did: string, query: Query = {}) {
  return w.get<NotificationPage>(LIST, query, did)
}

/** Reads all pages. */
export function notificationsOf(w: ServingWorld, did: string, query: Query = {}) {
  const read = (cursor?: string) => readPage(w, did, { ...query, cursor })
  return allPages(read, ({ notifications }) => notifications)
}

/** Each notification as "reason uri reasonSubject", newest first. */
export async function notified(w: ServingWorld, did: string, query: Query = {}): Promise<string[]> {
  return (await notificationsOf(w, did, query)).map(asLine)
}

export function asLine({ reason, uri, reasonSubject }: Notification): string {
  return [reason, uri, reasonSubject].filter((part) => part !== undefined).join(' ')
}

export async function unread(w: ServingWorld, did: string): Promise<number> {
  return (await w.get<{ count: number }>('app.bsky.notification.getUnreadCount', {}, did)).count
}
