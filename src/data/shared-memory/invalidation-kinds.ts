// Kinds of invalidations (invalidation-ring.ts): which rows a committed transaction touched, named by the
// integers that views are keyed by. An invalidation says that something may have changed, never its new
// value. The numbers are not stored anywhere.

export const INVALIDATION = {
  /** (post) A post's row: record, state, flags; also its threadgate and postgate. posts.id */
  post: 1,
  /** (post) Its like, repost, reply and quote counts. */
  counts: 2,
  /** (uid, post) The account likes or reposts the post, or no longer does. */
  reaction: 3,
  /** (uid) Any of the account's likes and reposts may have been removed. */
  reactions: 4,
  /** (uid) The account was added, or its handle, status or profile record changed. */
  actor: 5,
  /** (uid) The account's counts of follows, followers, posts and lists. */
  actorCounts: 6,
  /**
   * (uid, subject) The first account follows, mutes or subscribes to the posts of the second, or no
   * longer does.
   */
  relation: 7,
  /** (uid, subject) The first account blocks the second, or no longer does. */
  block: 8,
  /**
   * (uid) Any relation between the account and others, in either direction: follows, mutes, blocks,
   * the lists that it is on and those that it blocks.
   */
  relations: 9,
  /** (repost) The row was added or removed. reposts.id */
  repost: 10,
  /** (list) The list's row or its members. lists.id */
  list: 11,
  /** (uid) The account's set of posts and reposts, or their places in time. */
  feed: 13,
  /** (uid, post) Labels on the account's post; 0: on anything else of the account. */
  label: 14,
  /** (row) A row of a feature's own, by its number there: for those who wait for any change. */
  ofFeature: 15,
  /** (uid) Whatever was loaded whole of the account must be loaded again. */
  backfills: 16,
  /** (record) A version of an article or publication arrived or is gone. associated_records.id */
  associated: 17,
  /** Too wide to name: drop everything. */
  everything: 12,
} as const
