// What was counted before we counted (data/store/seed-counts.ts), and of what that has to be asked still. Our own
// counts of a post are whole where everything that was done to it came by our stream: where it was written after its
// author's feed was read, since from then on all about it is kept, and no stretch of the stream is lost for good
// since. Where strangers' doings are left out (scope `authors`) they never are, and what was said of a post grows
// old, the younger the post the sooner.

import { HOUR_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from './id-list.ts'
import { idList } from './id-list.ts'

export type SeedPost = { likes: number; reposts: number; replies: number; quotes: number }
export type SeedActor = { follows: number; followers: number; posts: number }

type SeedCounts = {
  /** Undefined where it was not asked. */
  ofPost(post: number): SeedPost | undefined
  ofActor(uid: number): SeedActor | undefined
  /** Those of the posts (posts.id) whose counts are not whole, with their times. */
  uncountedPosts(ids: Iterable<number>, now: number): { id: number; sortAt: number }[]
  /** Those of the accounts of whom nobody was asked lately. */
  uncountedActors(uids: Iterable<number>, now: number): { uid: number; isKnown: boolean }[]
  /** posts.id of what these feed items show, each once. */
  postsOfItems(items: Iterable<number>): number[]
}

export type CountedScope = 'authors' | 'community' | 'network'

/** An account's counts are asked for again after so long, when they are shown. */
const ACTOR_FRESH_MS = 6 * HOUR_MS
/** In scope `authors`: after a quarter of the post's age, and not before so long. */
const POST_FRESH_MS = 15 * MINUTE_MS

const POSTS = /* sql */ `
SELECT p.id, p.sort_at AS sortAt FROM json_each(:ids) ids
CROSS JOIN posts p ON p.id = ids.value
LEFT JOIN earlier_post_counts e ON e.post = p.id
LEFT JOIN backfills f ON f.uid = p.uid AND f.what = 'feed'
WHERE p.state = 1 AND CASE
  WHEN e.asked_at IS NULL
    THEN :isPartial OR p.sort_at <= coalesce(f.finished_at, :since) OR p.sort_at <= :lostUpTo
  WHEN p.sort_at <= :lostUpTo AND e.asked_at <= :lostUpTo THEN 1
  ELSE :isPartial AND e.asked_at < :now - max(${POST_FRESH_MS}, (:now - p.sort_at) / 4)
END`

const ACTORS = /* sql */ `
SELECT a.uid, e.uid IS NOT NULL AS isKnown FROM json_each(:uids) ids
CROSS JOIN actors a ON a.uid = ids.value
LEFT JOIN earlier_actor_counts e ON e.uid = a.uid
WHERE a.status = 0 AND coalesce(e.asked_at, 0) < :now - ${ACTOR_FRESH_MS}`

const OF_ITEMS = /* sql */ `
SELECT DISTINCT CASE WHEN ids.value % 2 = 0 THEN ids.value / 2 ELSE r.subject END
FROM json_each(?) ids LEFT JOIN reposts r ON ids.value % 2 = 1 AND r.id = ids.value / 2
WHERE ids.value % 2 = 0 OR r.subject IS NOT NULL`

/** Up to when the stream was lost for good, in part, in milliseconds. */
const LOST_UP_TO = /* sql */ `
SELECT coalesce(max(to_us), 0) / 1000 FROM gaps
WHERE uid IS NULL AND state = 'closed' AND note IS NOT NULL`

const BEGINNING = 'SELECT indexed_at FROM actors WHERE uid = 1'

export function prepareSeedCounts(db: Db, scope: CountedScope): SeedCounts {
  const ofPost = db.prepare<[number], SeedPost>(
    'SELECT likes, reposts, replies, quotes FROM earlier_post_counts WHERE post = ?',
  )
  const ofActor = db.prepare<[number], SeedActor>(
    'SELECT follows, followers, posts FROM earlier_actor_counts WHERE uid = ?',
  )
  const posts = db.prepare<[Record<string, unknown>], { id: number; sortAt: number }>(POSTS)
  const uncounted = db.prepare<[object], { uid: number; isKnown: number }>(ACTORS)
  const ofItems = db.prepare<[string], number>(OF_ITEMS).pluck()
  const lost = db.prepare<[], number>(LOST_UP_TO).pluck()
  const beginning = db.prepare<[], number>(BEGINNING).pluck()

  /** Since when everybody's posts are followed; those of whoever was not read first never are. */
  function since(): number {
    return scope === 'network' ? (beginning.get() ?? 0) : Number.MAX_SAFE_INTEGER
  }

  return {
    ofPost: (post) => ofPost.get(post),
    ofActor: (uid) => ofActor.get(uid),
    uncountedPosts(ids, now) {
      const isPartial = scope === 'authors' ? 1 : 0
      const lostUpTo = lost.get() ?? 0
      return posts.all({ ids: idList(ids), isPartial, lostUpTo, since: since(), now })
    },
    uncountedActors: (uids, now) =>
      uncounted.all({ uids: idList(uids), now }).map(({ uid, isKnown }) => ({
        uid,
        isKnown: isKnown === 1,
      })),
    postsOfItems: (items) => ofItems.all(idList(items)),
  }
}
