// Posts and reposts together, as feed items for the timelines in memory.

import { digestRank, type PackedRkey } from '../../../base/atproto/keys.ts'
import { itemHash } from '../../graph/lossiness.ts'
import type { ActorReader } from '../../graph/types.ts'
import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { followedBy } from '../records/follows.ts'
import { isRepostItem } from './item-ids.ts'

/**
 * The content of a timeline entry: the item, the account that put it there, and its place in the
 * order.
 */
export type FeedItem = {
  /** item-ids.ts. */
  item: number
  /** uid of the author or reposter. */
  originator: number
  /** Milliseconds since 1970. */
  sortAt: number
  /** keys.ts `cidRank`. */
  rank: number
  /** Of the post or the repost. */
  rkey: PackedRkey
}

type Row = [item: number, originator: number, sortAt: number, cid: Buffer, rkey: PackedRkey]

// CROSS JOIN keeps SQLite from starting at the big table.
const WINDOW = `
  WITH originators (uid) AS (SELECT value FROM json_each(@follows) UNION SELECT @owner)
  SELECT p.id * 2, p.uid, p.sort_at, p.cid, p.rkey FROM originators o CROSS JOIN posts p
    ON p.uid = o.uid AND p.state = 1 AND p.sort_at >= @from AND p.sort_at < @to
  UNION ALL
  SELECT r.id * 2 + 1, r.uid, r.sort_at, r.cid, r.rkey FROM originators o CROSS JOIN reposts r
    ON r.uid = o.uid AND r.sort_at >= @from AND r.sort_at < @to`

const NEWEST = `
  SELECT * FROM (SELECT id * 2, uid, sort_at AS at, cid, rkey FROM posts
    WHERE uid = +@originator AND state = 1 ORDER BY sort_at DESC LIMIT +@limit)
  UNION ALL
  SELECT * FROM (SELECT id * 2 + 1, uid, sort_at AS at, cid, rkey FROM reposts
    WHERE uid = +@originator ORDER BY sort_at DESC LIMIT +@limit)
  ORDER BY at DESC LIMIT +@limit`

const statements = perDatabase((db) => ({
  window: db
    .prepare<[{ owner: number; follows: string; from: number; to: number }], Row>(WINDOW)
    .raw(),
  newest: db.prepare<[{ originator: number; limit: number }], Row>(NEWEST).raw(),
}))

/**
 * Items of `owner` and every account it follows, with `from` ≤ sortAt < `to` in milliseconds, in no
 * order.
 */
export function itemsForOwner(
  db: Db,
  owner: number,
  window: { from: number; to: number },
): FeedItem[] {
  const follows = JSON.stringify(followedBy(db, owner))
  return statements(db)
    .window.all({ owner, follows, ...window })
    .map(toItem)
}

/** An originator's newest items, newest first. */
export function newestItems(db: Db, originator: number, limit: number): FeedItem[] {
  return statements(db).newest.all({ originator, limit }).map(toItem)
}

/** graph/lossiness.ts `itemHash`. */
export function hashOfItem(
  actors: Pick<ActorReader, 'hashOf'>,
  { item, originator, rkey }: FeedItem,
): number {
  return itemHash(actors.hashOf(originator), rkey, isRepostItem(item))
}

function toItem([item, originator, sortAt, cid, rkey]: Row): FeedItem {
  return { item, originator, sortAt, rank: digestRank(cid), rkey }
}
