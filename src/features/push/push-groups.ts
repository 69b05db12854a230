// Notifications that clients show as one: likes of a post, reposts of it, new followers but those who follow back. The
// first of a group is pushed, and no other until the member has looked, or two days have passed, after which clients
// begin a new group. Posts of accounts that the member subscribes to are pushed one by one, since each was asked for.
// Held in memory: after a restart, a group is pushed once more.

import { DAY_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'

const GROUPED = new Set(['like', 'repost', 'follow', 'like-via-repost', 'repost-via-repost'])
const GROUP_MS = 2 * DAY_MS
const MAX_GROUPS = 50_000

type Notification = {
  reason: string
  uri: string
  reasonSubject?: string | undefined
  author: { viewer?: { following?: string | undefined } | undefined }
}

/** The name of its group; a notification that is pushed by itself is its own. */
export function groupOf({ reason, uri, reasonSubject, author }: Notification): string {
  const isFollowBack = reason === 'follow' && author.viewer?.following !== undefined
  if (isFollowBack) return uri
  return GROUPED.has(reason) ? `${reason} ${reasonSubject ?? ''}` : uri
}

export type PushGroups = {
  /**
   * Whether the group is to be pushed; counts as pushed from then on.
   * @param at.seenAt - how far the member has looked
   */
  begins(uid: number, group: string, at: { now: number; seenAt: number }): boolean
}

export function createPushGroups(): PushGroups {
  const pushedAt = new LruMap<string, number>(MAX_GROUPS)
  return {
    begins(uid, group, { now, seenAt }) {
      const key = `${uid} ${group}`
      const before = pushedAt.get(key)
      if (before !== undefined && before > seenAt && now - before < GROUP_MS) return false
      pushedAt.set(key, now)
      return true
    },
  }
}
