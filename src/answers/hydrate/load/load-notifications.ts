// Hydration of notifications: their records, the posts shown, the gates of the viewer's own threads, and the
// authors of all of them.

import { parseRecordUri, recordUri } from '../../../base/atproto/at-uri.ts'
import { collectionCodes, collections } from '../../../base/atproto/collections.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import { reasonOf } from '../../../data/store/notifications/notification-reasons.ts'
import { subjectCollectionOf } from '../../../data/store/notifications/notification-subjects.ts'
import type { NotificationRow } from '../../../data/store/read/notifications.ts'
import type { Notification, NotificationState } from '../notification-types.ts'
import { emptyFeedState, type Loader } from '../page.ts'
import type { Reader } from '../reader.ts'
import { parseRecord } from '../shapes/parse-record.ts'
import { object } from '../shapes/shape.ts'
import type { Post, Viewer } from '../types.ts'
import { loadAccounts, loadLists } from './load-accounts.ts'
import { loadGates } from './load-gates.ts'
import { loadPosts } from './load-posts.ts'
import { addRecords } from './load-records.ts'

const STARTER_PACK = 'app.bsky.graph.starterpack'
const namesByCode = new Map(collections.map((name) => [collectionCodes[name] as number, name]))
const isObject = object({})

export function loadNotifications(
  loader: Loader,
  ids: readonly number[],
  reader: Reader,
): NotificationState {
  const state: NotificationState = {
    ...emptyFeedState(reader, loader.context.urls),
    notifications: new Map(),
  }
  for (const row of loader.readers.notifications(ids)) {
    const notification = toNotification(loader, row, state.viewer)
    if (notification) state.notifications.set(row.id, notification)
  }
  const all = [...state.notifications.values()]
  const postIds = all.map(({ post }) => post)
  loadOwnGates(loader, state, loadPosts(loader, state, postIds))
  const packs = all.map(({ starterPack }) => starterPack).filter((uri) => uri !== undefined)
  addRecords(loader, state, packs)
  const creators = [...state.records.values()].map(({ uid }) => uid)
  loadAccounts(loader, state, new Set([...all.map(({ author }) => author), ...creators]))
  loadLists(loader, state, new Set())
  return state
}

/**
 * Loads only the gates of the viewer's own threads, the only ones where the viewer may hide
 * replies.
 */
function loadOwnGates(loader: Loader, state: NotificationState, posts: Post[]): void {
  const own = `at://${state.viewer?.did}/`
  const replies = posts.filter(({ record }) => record.reply?.root.uri.startsWith(own))
  if (replies.length === 0) return
  const roots = replies.map(({ root }) => root)
  loadGates(loader, state, loadPosts(loader, state, roots))
}

function toNotification(
  loader: Loader,
  row: NotificationRow,
  viewer: Viewer,
): Notification | undefined {
  const { id, author, sortAt, subjectRkey } = row
  const reason = reasonOf(row.reason)
  const collection = namesByCode.get(row.collection)
  if (!reason || !collection) return undefined
  const about = subjectCollectionOf(row.subjectCollection ?? 0)
  const content = contentOf(loader, row)
  return {
    id,
    reason,
    author,
    uri: recordUri(loader.context.actors.didOf(author), collection, row.rkey),
    post: row.post ?? undefined,
    content,
    starterPack: reason === 'follow' ? packOf(content?.record['via']) : undefined,
    subjectUri:
      viewer && about && subjectRkey !== null
        ? recordUri(viewer.did, about, subjectRkey)
        : undefined,
    sortAt,
  }
}

/** The starter pack that a follow names as its origin. */
function packOf(via: unknown): string | undefined {
  const uri = (via as { uri?: unknown } | null | undefined)?.uri
  const key = typeof uri === 'string' ? parseRecordUri(uri) : undefined
  return key?.collection === STARTER_PACK ? (uri as string) : undefined
}

function contentOf(
  loader: Loader,
  { cid, record: text }: NotificationRow,
): Notification['content'] {
  if (!cid) return undefined
  const { onUnusable } = loader
  const record = parseRecord<{ [name: string]: unknown }>(text, {
    kind: 'notification',
    isSound: isObject,
    onUnusable,
  })
  return record && { cid: unpackCid(cid), record }
}
