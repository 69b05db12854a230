// Counts from before we started counting (data/store/counts/seed-counts.ts), and the posts and accounts whose counts
// must still be requested. Our own counts of a post are complete if the stream brought every event about it:
// if it was written after its author's feed was read, since we keep everything from then on, and no part of
// the stream was permanently lost since. In scope `authors`, and while the stream leaves out what strangers do to
// stay within its budget, they never are, and requested counts go stale, sooner for younger posts.

import { HOUR_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from './id-list.ts'
import { idList } from './id-list.ts'

export type SeedPost = { likes: number; reposts: number; replies: number; quotes: number }
export type SeedActor = { follows: number; followers: number; posts: number }

type SeedCounts = {
  /** Undefined if never requested. */
  ofPost(post: number): SeedPost | undefined
  ofActor(uid: number): SeedActor | undefined
  /** The posts among these (posts.id) with incomplete counts, and their times. */
  uncountedPosts(ids: Iterable<number>, now: number): { id: number; sortAt: number }[]
  /** The accounts among these whose counts were not requested recently. */
  uncountedActors(uids: Iterable<number>, now: number): { uid: number; isKnown: boolean }[]
  /** Distinct posts.id shown by these feed items. */
  postsOfItems(items: Iterable<number>): number[]
}

export type CountedScope = 'authors' | 'community' | 'network'

/** An account's counts are requested again after this long, when they are shown. */
const ACTOR_FRESH_MS = 6 * HOUR_MS
/**
 * Where strangers are left out: requested again after a quarter of the post's age, but not before this long.
 */
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

/**
 * End of the last part of the stream that was permanently lost, or from which something was left
 * out, in milliseconds.
 */
const LOST_UP_TO = /* sql */ `
SELECT max(
  (SELECT coalesce(max(to_us), 0) / 1000 FROM gaps
    WHERE uid IS NULL AND state = 'closed' AND note IS NOT NULL),
  (SELECT coalesce(max(at), 0) FROM stream_choices))`

/** Whether something is left out now. */
const LEAVES_OUT = /* sql */ `
SELECT coalesce((SELECT level > 0 FROM stream_choices ORDER BY at DESC LIMIT 1), 0)`

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
  const leavesOut = db.prepare<[], number>(LEAVES_OUT).pluck()
  const beginning = db.prepare<[], number>(BEGINNING).pluck()

  /**
   * Time since which all accounts' posts are followed; outside scope `network`, those of an account
   * whose feed was never read are not.
   */
  function since(): number {
    return scope === 'network' ? (beginning.get() ?? 0) : Number.MAX_SAFE_INTEGER
  }

  return {
    ofPost: (post) => ofPost.get(post),
    ofActor: (uid) => ofActor.get(uid),
    uncountedPosts(ids, now) {
      const isPartial = scope === 'authors' ? 1 : leavesOut.get()!
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
