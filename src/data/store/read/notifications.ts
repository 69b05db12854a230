// A member's notifications: which are listed, and their content.
//
// Excluded are notifications about the member's own posts, reposts, feeds and similar records that are
// missing or deleted, those caused by records that the operator hid, and those the member does not want.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { subjectCodes } from '../notifications/notification-subjects.ts'
import { type Db, idList } from './id-list.ts'

type NotificationFilter = {
  uid: number
  /** Posts with one of these moderators' tags are flagged. */
  tags: readonly string[]
  /** Bit mask of the listed reasons, see notification-reasons.ts. */
  listed: number
}

export type NotificationPosition = { id: number; sortAt: number }

/** Its place, and the other fields that decide whether it is shown. */
export type PositionedNotification = NotificationPosition & {
  reason: number
  author: number
  isTagged: 0 | 1
}

export type NotificationRow = {
  id: number
  reason: number
  author: number
  collection: number
  rkey: PackedRkey
  sortAt: number
  /** Null, like the record, for posts and profiles. */
  cid: Buffer | null
  record: string | null
  subjectCollection: number | null
  subjectRkey: PackedRkey | null
  /** posts.id if the record is a post. */
  post: number | null
}

type NotificationReader = {
  /** Below this place, newest first. Read lazily: occupies the connection during iteration. */
  below(
    filter: NotificationFilter,
    position: NotificationPosition,
  ): Iterable<PositionedNotification>
  /** Counts those later than this, up to `max`, in a fifth of the time that walking them takes. */
  countSince(request: Omit<NotificationFilter, 'tags'> & { since: number; max: number }): number
}

/** Conditions for subjects that are rows of `records`. */
const RECORDS = (
  ['app.bsky.graph.starterpack', 'app.bsky.feed.generator', 'app.bsky.labeler.service'] as const
).map(
  (name) => /* sql */ `WHEN ${subjectCodes[name]} THEN EXISTS
    (SELECT 1 FROM records r WHERE r.uid = n.uid AND r.collection = ${collectionCodes[name]}
      AND r.rkey = n.subject_rkey AND r.cid IS NOT NULL)`,
)

const LISTED = /* sql */ `
n.uid = +@uid AND (@listed >> n.reason) & 1
AND NOT EXISTS
  (SELECT 1 FROM takedowns t WHERE t.uid = n.author AND t.collection = n.collection AND t.rkey = n.rkey)
AND CASE n.subject_collection
  WHEN ${subjectCodes['app.bsky.feed.post']} THEN EXISTS
    (SELECT 1 FROM posts p WHERE p.uid = n.uid AND p.rkey = n.subject_rkey AND p.state = 1)
  WHEN ${subjectCodes['app.bsky.feed.repost']} THEN EXISTS
    (SELECT 1 FROM reposts r WHERE r.uid = n.uid AND r.rkey = n.subject_rkey)
  ${RECORDS.join('\n  ')}
  ELSE 1 END`

const BELOW = /* sql */ `
SELECT n.id, n.sort_at AS sortAt, n.reason, n.author,
  n.collection = ${collectionCodes['app.bsky.feed.post']} AND EXISTS
    (SELECT 1 FROM moderation_tags t WHERE t.uid = n.author AND t.collection = n.collection
      AND t.rkey = n.rkey AND t.tag IN (SELECT value FROM json_each(@tags))) AS isTagged
FROM notifications n WHERE ${LISTED} AND n.sort_at <= +@sortAt AND (n.sort_at < +@sortAt OR n.id < +@id)
ORDER BY n.sort_at DESC, n.id DESC`

const COUNT_SINCE = /* sql */ `
SELECT count(*) FROM
  (SELECT 1 FROM notifications n WHERE ${LISTED} AND n.sort_at > +@since
    ORDER BY n.sort_at DESC LIMIT @max)`

const ROWS = /* sql */ `
SELECT n.id, n.reason, n.author, n.collection, n.rkey, n.sort_at AS sortAt, n.cid,
  CAST(n.record AS TEXT) AS record, n.subject_collection AS subjectCollection,
  n.subject_rkey AS subjectRkey,
  CASE n.collection WHEN ${collectionCodes['app.bsky.feed.post']} THEN
    (SELECT p.id FROM posts p WHERE p.uid = n.author AND p.rkey = n.rkey) END AS post
FROM json_each(?) ids CROSS JOIN notifications n ON n.id = ids.value`

export function prepareNotificationPages(db: Db): NotificationReader {
  type Filter = Omit<NotificationFilter, 'tags'> & { tags: string }
  const below = db.prepare<[Filter & NotificationPosition], PositionedNotification>(BELOW)
  type Since = Parameters<NotificationReader['countSince']>[0]
  const countSince = db.prepare<[Since], number>(COUNT_SINCE).pluck()
  return {
    countSince: (request) => countSince.get(request) ?? 0,
    below: ({ tags, ...filter }, position) =>
      below.iterate({ ...filter, ...position, tags: JSON.stringify(tags) }),
  }
}

export function prepareNotifications(db: Db): (ids: Iterable<number>) => NotificationRow[] {
  const select = db.prepare<[string], NotificationRow>(ROWS)
  return (ids) => select.all(idList(ids))
}
