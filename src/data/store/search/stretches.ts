// The index of post words, cut by time. Without this, a search for words that are common but never stand
// together reads the whole index, however short the time it asks for, and cannot be interrupted. A word is
// indexed as `<stretch>:<word>`, so it has one list of posts per stretch. A full stretch at either end makes
// room beside it; one in the middle is halved, and its later posts are indexed again (moved) slice by slice.

import type { WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

/** A stretch of this many posts at an end of the index gets a new one beside it. */
export const STRETCH_POSTS = 16_384
/** Shares of it at which a stretch is halved, and takes no more: only if all are of one second. */
const HALVED_FROM = 2
const FULL_FROM = 4
const END = 2 ** 31 - 1

/** From period `first` (inclusive) to `below`. `posts`: at least as many as it has. */
export type Stretch = { first: number; below: number; id: number; posts: number }

type Ends = { oldest: number | null; newest: number | null }

const IN_RANGE = 'id >= CAST(? AS INTEGER) << 31 AND id < CAST(? AS INTEGER) << 31'

const statements = perDatabase((db) => ({
  of: db.prepare<[number], Stretch & { isMoving: number }>(
    `SELECT s.first, s.id, s.posts, s.moved_from IS NOT NULL AS isMoving,
      coalesce((SELECT min(n.first) FROM post_stretches n WHERE n.first > s.first), ${END}) AS below
      FROM post_stretches s WHERE s.first <= ? ORDER BY s.first DESC LIMIT 1`,
  ),
  setPosts: db.prepare<[number, number]>('UPDATE post_stretches SET posts = ? WHERE first = ?'),
  insert: db.prepare<[number, number]>(
    `INSERT INTO post_stretches (first, id, posts)
      SELECT ?, max(id) + 1, ? FROM post_stretches`,
  ),
  beginAt: db.prepare<[number, number]>('UPDATE post_stretches SET first = ? WHERE first = ?'),
  fill: db.prepare<[number, number]>(
    'UPDATE post_stretches SET moved_from = ?, unmoved = first << 31 WHERE first = ?',
  ),
  count: db
    .prepare<[number, number], number>(`SELECT count(*) FROM post_words_docsize WHERE ${IN_RANGE}`)
    .pluck(),
  ends: db.prepare<[number, number], Ends>(
    `SELECT min(id) >> 31 AS oldest, max(id) >> 31 AS newest FROM post_words_docsize
      WHERE ${IN_RANGE}`,
  ),
  nth: db
    .prepare<[number, number, number], number>(
      `SELECT id >> 31 FROM post_words_docsize WHERE ${IN_RANGE} ORDER BY id LIMIT 1 OFFSET ?`,
    )
    .pluck(),
  filled: db
    .prepare<[], number>('SELECT first FROM post_stretches WHERE moved_from IS NOT NULL LIMIT 1')
    .pluck(),
  unmoved: db.prepare<[number, number, number], { id: number; period: number }>(
    `SELECT w.id & 2147483647 AS id, w.id >> 31 AS period
      FROM post_stretches s CROSS JOIN post_words_docsize w
      WHERE s.first = ? AND w.id >= s.unmoved AND w.id < CAST(? AS INTEGER) << 31
      ORDER BY w.id LIMIT ?`,
  ),
  setUnmoved: db.prepare<[number, number, number]>(
    'UPDATE post_stretches SET unmoved = ((? << 31) | ?) + 1 WHERE first = ?',
  ),
  endMoving: db.prepare<[number]>(
    'UPDATE post_stretches SET moved_from = NULL, unmoved = NULL WHERE first = ?',
  ),
  dropEmptied: db.prepare(
    `DELETE FROM post_stretches WHERE first < (SELECT max(first) FROM post_stretches
      WHERE first <= (SELECT min(id) >> 31 FROM post_words_docsize))`,
  ),
  beginAtZero: db.prepare(
    `UPDATE post_stretches SET first = 0
      WHERE first = (SELECT min(first) FROM post_stretches) AND first > 0`,
  ),
  clear: db.prepare('DELETE FROM post_stretches'),
  first: db.prepare('INSERT INTO post_stretches (first, id, posts) VALUES (0, 1, 0)'),
}))

/**
 * The stretch that a post of this period is indexed in; undefined if it can take no more.
 * @param size - usual number of posts of a stretch
 */
export function stretchFor(db: WriteDb, period: number, size: number): Stretch | undefined {
  const stretch = statements(db).of.get(period)!
  const isFull = (posts: number) => posts >= FULL_FROM * size
  return isFull(stretch.posts) && isFull(recount(db, stretch)) ? undefined : stretch
}

/** Call after posts were added, with the number of them. */
export function growStretch(db: WriteDb, { first }: Stretch, added: number, size: number): void {
  const { of, setPosts } = statements(db)
  const stretch = of.get(first)!
  const posts = stretch.posts + added
  setPosts.run(posts, first)
  const isAtEnd = first === 0 || stretch.below === END
  const most = isAtEnd ? size : HALVED_FROM * size
  if (posts < most || stretch.isMoving) return
  const count = recount(db, stretch)
  if (count < most) return
  if (isAtEnd) freeSlotBeside(db, stretch)
  else halve(db, stretch, count)
}

function recount(db: WriteDb, { first, below }: Stretch): number {
  const { count, setPosts } = statements(db)
  const posts = count.get(first, below)!
  setPosts.run(posts, first)
  return posts
}

/** New posts are mostly the newest, or older than all: then none has to move. */
function freeSlotBeside(db: WriteDb, { first, below }: Stretch): void {
  const { ends, insert, beginAt } = statements(db)
  const { oldest, newest } = ends.get(first, below)!
  if (oldest === null || newest === null) return
  if (below === END) insert.run(newest + 1, 0)
  if (first > 0 || oldest === 0) return
  beginAt.run(oldest, first)
  insert.run(0, 0)
}

/** Impossible if all posts are of one period. */
function halve(db: WriteDb, { first, below, id }: Stretch, posts: number): void {
  const { nth, ends, count, insert, fill, setPosts } = statements(db)
  const middle = nth.get(first, below, posts >> 1)!
  const cut = middle > first ? middle : ends.get(middle + 1, below)!.oldest
  if (cut === null) return
  const later = count.get(cut, below)!
  insert.run(cut, later)
  fill.run(id, cut)
  setPosts.run(posts - later, first)
}

/**
 * The next posts to index again, with the time under which they are indexed; none if no stretch is
 * being filled.
 */
export function takeUnmoved(db: WriteDb, limit: number): { id: number; period: number }[] {
  const { filled, of, unmoved, setUnmoved, endMoving } = statements(db)
  const first = filled.get()
  if (first === undefined) return []
  const posts = unmoved.all(first, of.get(first)!.below, limit)
  const last = posts.at(-1)
  if (last && posts.length === limit) setUnmoved.run(last.period, last.id, first)
  else endMoving.run(first)
  return posts
}

/** Call after the oldest posts were removed. */
export function dropEmptiedStretches(db: WriteDb): void {
  const { dropEmptied, beginAtZero } = statements(db)
  dropEmptied.run()
  beginAtZero.run()
}

/** For an emptied index. */
export function resetStretches(db: WriteDb): void {
  const { clear, first } = statements(db)
  clear.run()
  first.run()
}
