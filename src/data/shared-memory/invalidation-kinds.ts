// What an invalidation can say (invalidation-ring.ts): which rows a committed transaction touched, named by the
// integers that views are keyed by. An invalidation says that something may have changed, never what it is
// now. The numbers are not stored anywhere.

export const INVALIDATION = {
  /** (post) A post's row: record, state, flags. Its thread- and postgate too. posts.id */
  post: 1,
  /** (post) How often it was liked, reposted, answered and quoted. */
  counts: 2,
  /** (uid, post) The account likes or reposts the post, or no longer does. */
  reaction: 3,
  /** (uid) Any of the account's likes and reposts may be gone. */
  reactions: 4,
  /** (uid) The account came, or its handle, its status or its profile record changed. */
  actor: 5,
  /** (uid) How many follows, followers, posts and lists the account has. */
  actorCounts: 6,
  /** (uid, subject) The first follows or mutes the second, or is told of its posts, or no longer. */
  relation: 7,
  /** (uid, subject) The first blocks the second, or no longer does. */
  block: 8,
  /**
   * (uid) Whatever stands between the account and any other, either way: follows, mutes, blocks,
   * and what lists say, those that it is on and those that it blocks.
   */
  relations: 9,
  /** (repost) The row came or went. reposts.id */
  repost: 10,
  /** (list) The list's row, or who is on it. lists.id */
  list: 11,
  /** (uid) Which posts and reposts the account has, or their places in time. */
  feed: 13,
  /** (uid, post) What labels say about the account's post; 0: about anything else of the account. */
  label: 14,
  /** (timeline) Something was posted to it: custom_timelines.id */
  customTimeline: 15,
  /** (uid) What was loaded whole of the account is to be loaded anew. */
  backfills: 16,
  /** Too wide to name: forget all. */
  everything: 12,
} as const
