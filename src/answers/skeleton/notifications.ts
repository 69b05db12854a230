// The notifications a member is shown, newest first, and how many are unseen. The cursor is `<ms>__<id>`: the
// sortAt and row of the last one, so that a page does not depend on notifications added above it. The client
// sets how far the member has seen them. If it never did, everything before the member joined (`since`)
// counts as seen: a new member's backlog is old, however large.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import { NO_TAG_RULES, type TagRules } from '../../base/atproto/tag-rules.ts'
import type { Db } from '../../data/store/db.ts'
import {
  listedReasons,
  type NotificationPreferences,
  pushedReasons,
  readPreferences,
} from '../../data/store/notifications/notification-preferences.ts'
import { ALL_REASONS, reasonMask } from '../../data/store/notifications/notification-reasons.ts'
import {
  findNotificationSettings,
  type NotificationSettings,
} from '../../data/store/notifications/notification-settings.ts'
import { countActivitySubscriptions } from '../../data/store/private/activity-subscriptions.ts'
import {
  type NotificationPosition,
  type PositionedNotification,
  prepareNotificationPages,
} from '../../data/store/read/notifications.ts'
import { BadCursorError, parseTimed } from './page-cursor.ts'
import type { SkeletonPage } from './skeleton-page.ts'

type NotificationRequest = {
  viewer: number
  limit: number
  cursor: string | undefined
  /** Undefined for all. Unknown names match nothing. */
  reasons?: readonly string[] | undefined
  /** Only notifications from accounts the viewer follows. */
  priority: boolean
}

/** A page of notifications.id. */
export type NotificationSkeleton = SkeletonPage<number> & {
  /** sortAt of the first one. */
  newest: number | undefined
}

type NotificationView = {
  preferences: NotificationPreferences
  /** Milliseconds; undefined if the member's client never set it. */
  seenAt: number | undefined
}

/** What decides whether a notification is pushed to devices. */
type ArrivedNotification = { id: number; reason: number; author: number }

type UnseenNotification = { id: number; author: number }

export type Notifications = {
  settings(viewer: number): NotificationView
  /** Whether notifications from before the member joined have been collected. */
  hasBacklog(viewer: number): boolean
  /** @throws BadCursorError */
  page(request: NotificationRequest): NotificationSkeleton
  /**
   * Those among the given notifications that the member wants pushed to their devices, oldest
   * first.
   */
  pushed(viewer: number, among: readonly ArrivedNotification[]): number[]
  /** Number of the member's activity subscriptions. */
  subscriptionCount(viewer: number): number
  /** The unseen ones, newest first, up to MAX_COUNTED. */
  unseen(viewer: number): UnseenNotification[]
  /** How many those are. */
  unseenCount(viewer: number): number
}

type Options = {
  db: Db
  tagRules?: TagRules | undefined
  graph: Pick<FollowGraphReader, 'has'>
  /** Whether notifications from before a member joined are unseen until they say otherwise. */
  countsEarlier?: boolean
}

/** Clients switch to "and more" at far lower counts. */
const MAX_COUNTED = 1_000

/** The reasons that are posts directed at the member. */
const REPLY_REASONS = reasonMask(['reply', 'quote', 'mention'])

const TOP: NotificationPosition = { sortAt: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

export function createNotifications({
  db,
  graph,
  tagRules = NO_TAG_RULES,
  countsEarlier = false,
}: Options): Notifications {
  const reader = prepareNotificationPages(db)
  const find = (viewer: number) => findNotificationSettings(db, viewer)
  const wantedBy = (viewer: number) => listedReasons(viewOf(find(viewer)).preferences)
  const sinceOf = (viewer: number) => seenUntil(find(viewer), countsEarlier)

  /**
   * Yields notifications downwards from a place. A member's are bounded in number, so this
   * terminates.
   */
  function* listed(
    request: Pick<NotificationRequest, 'viewer' | 'reasons' | 'priority'>,
    position: NotificationPosition,
  ): Generator<PositionedNotification> {
    const { viewer, reasons, priority } = request
    const wanted = wantedBy(viewer)
    const mask = reasons ? wanted.listed & reasonMask(reasons) : wanted.listed
    const followsOnly = priority ? ALL_REASONS : wanted.followsOnly
    const filter = { uid: viewer, listed: mask, tags: tagRules.threadTagsHide }
    for (const item of reader.below(filter, position)) {
      const forFollows = item.isTagged ? followsOnly | REPLY_REASONS : followsOnly
      const isForFollows = (forFollows >> item.reason) & 1
      if (!isForFollows || graph.has(viewer, item.author)) yield item
    }
  }

  function unseen(viewer: number): UnseenNotification[] {
    const since = sinceOf(viewer)
    const found: UnseenNotification[] = []
    for (const { id, author, sortAt } of listed({ viewer, priority: false }, TOP)) {
      if (sortAt <= since || found.length === MAX_COUNTED) break
      found.push({ id, author })
    }
    return found
  }

  return {
    hasBacklog: (viewer) => find(viewer)?.has_backlog === 1,
    settings: (viewer) => viewOf(find(viewer)),
    page({ limit, cursor, ...request }) {
      const page: PositionedNotification[] = []
      for (const item of listed(request, parseCursor(cursor))) {
        if (page.push(item) > limit) break
      }
      return skeletonOf(page, limit)
    },
    pushed: (viewer, among) => pushedOf(find(viewer), viewer, { among, graph }),
    subscriptionCount: (viewer) => countActivitySubscriptions(db, viewer),
    unseen,
    unseenCount(viewer) {
      const wanted = wantedBy(viewer)
      // The rows do not contain the viewer's follows.
      const isByRows = wanted.followsOnly === 0 && tagRules.threadTagsHide.length === 0
      if (!isByRows) return unseen(viewer).length
      const since = sinceOf(viewer)
      return reader.countSince({ uid: viewer, listed: wanted.listed, since, max: MAX_COUNTED })
    },
  }
}

/** @param read - at most one more than `limit` */
function skeletonOf(read: readonly PositionedNotification[], limit: number): NotificationSkeleton {
  const page = read.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(({ id }) => id),
    newest: page[0]?.sortAt,
    cursor: read.length > limit && last ? `${last.sortAt}__${last.id}` : undefined,
  }
}

function viewOf(row: NotificationSettings | undefined): NotificationView {
  return {
    preferences: readPreferences(row?.preferences ?? null),
    seenAt: row?.seen_at ?? undefined,
  }
}

/** Notifications after this time are unseen. */
function seenUntil(row: NotificationSettings | undefined, countsEarlier: boolean): number {
  return row?.seen_at ?? (countsEarlier ? undefined : row?.since) ?? 0
}

function pushedOf(
  row: NotificationSettings | undefined,
  viewer: number,
  {
    among,
    graph,
  }: { among: readonly ArrivedNotification[]; graph: Pick<FollowGraphReader, 'has'> },
): number[] {
  const { listed, followsOnly } = pushedReasons(readPreferences(row?.preferences ?? null))
  const isIn = (mask: number, reason: number) => ((mask >> reason) & 1) === 1
  return among
    .filter(({ reason }) => isIn(listed, reason))
    .filter(({ reason, author }) => !isIn(followsOnly, reason) || graph.has(viewer, author))
    .map(({ id }) => id)
}

function parseCursor(cursor: string | undefined): NotificationPosition {
  if (cursor === undefined) return TOP
  const [sortAt, id] = parseTimed(cursor)
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new BadCursorError()
  return { sortAt, id: Number(id) }
}
