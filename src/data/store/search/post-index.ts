// The index of post words. Its order is time: a row id is the post's period (of about a second) times 2^31,
// plus posts.id, so the newest matches are read without scanning all matches.
//
// It holds a limited number of the newest posts; older ones are evicted.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { recordColumn, recordText } from '../posts/record-bytes.ts'
import { termsIn } from './post-terms.ts'
import { dropEmptiedStretches, growStretch, type Stretch, stretchFor } from './stretches.ts'

export const PERIOD_MS = 1_024

const INDEXED_POSTS = 'search.posts'
const PRUNED_AT_ONCE = 200

type SourceRow = {
  id: number
  uid: number
  state: number
  sort_at: number | null
  root: number | null
  parent: number | null
  record: Buffer | string | null
}

export type PostToIndex = Omit<SourceRow, 'record'> & { record: string | null }

const statements = perDatabase((db) => ({
  source: db.prepare<[number], SourceRow>(
    `SELECT id, uid, state, sort_at, root, parent, ${recordColumn('record')} AS record
      FROM posts WHERE id = ?`,
  ),
  below: db
    .prepare<[number, number], number>('SELECT id FROM posts WHERE id < ? ORDER BY id DESC LIMIT ?')
    .pluck(),
  add: db.prepare<[number, number, string]>(
    'INSERT INTO post_words (rowid, words) VALUES ((? << 31) | ?, ?)',
  ),
  remove: db.prepare<[number, number]>('DELETE FROM post_words WHERE rowid = (? << 31) | ?'),
  prune: db.prepare<[number]>(
    `DELETE FROM post_words WHERE rowid IN (SELECT id FROM post_words_docsize ORDER BY id LIMIT ?)`,
  ),
  oldest: db.prepare<[], number | null>('SELECT min(id) >> 31 FROM post_words_docsize').pluck(),
  count: db.prepare<[], number>(`SELECT value FROM meta WHERE key = '${INDEXED_POSTS}'`).pluck(),
  setCount: db.prepare<[number]>(
    `INSERT OR REPLACE INTO meta (key, value) VALUES ('${INDEXED_POSTS}', ?)`,
  ),
}))

export function periodOf(sortAt: number): number {
  return Math.floor(Math.max(sortAt, 0) / PERIOD_MS)
}

/** Reads the current row. */
export function postToIndex(db: Db, id: number): PostToIndex | undefined {
  const row = statements(db).source.get(id)
  return row && { ...row, record: recordText(row.record) }
}

export function postsBelow(db: Db, id: number, limit: number): number[] {
  return statements(db).below.all(id, limit)
}

export type PostWords = { id: number; sortAt: number; words: string }

/** Removes the posts that are indexed. */
export function removePostWords(db: WriteDb, posts: readonly Omit<PostWords, 'words'>[]): void {
  const { remove } = statements(db)
  let removed = 0
  for (const { id, sortAt } of posts) removed += remove.run(periodOf(sortAt), id).changes
  addToCount(db, -removed)
}

/**
 * None of them may be indexed. Writes in row order; otherwise the index would write a segment for
 * every row.
 * @param stretchPosts - usual number of posts of a stretch
 */
export function addPostWords(db: WriteDb, posts: PostWords[], stretchPosts: number): void {
  const order = (a: PostWords, b: PostWords) =>
    periodOf(a.sortAt) - periodOf(b.sortAt) || a.id - b.id
  const rest = posts.sort(order)
  let added = 0
  for (let i = 0; i < rest.length; ) {
    const period = periodOf(rest[i]!.sortAt)
    const stretch = stretchFor(db, period, stretchPosts)
    const below = stretch?.below ?? period + 1
    const end = rest.findIndex(({ sortAt }, at) => at > i && periodOf(sortAt) >= below)
    const together = rest.slice(i, end === -1 ? undefined : end)
    if (stretch) {
      addToStretch(db, stretch, together)
      growStretch(db, stretch, together.length, stretchPosts)
      added += together.length
    }
    i += together.length
  }
  addToCount(db, added)
}

function addToStretch(db: WriteDb, { id: stretch }: Stretch, posts: readonly PostWords[]): void {
  const { add } = statements(db)
  for (const { id, sortAt, words } of posts) add.run(periodOf(sortAt), id, termsIn(stretch, words))
}

/** Whether a post of this time would be evicted first. */
export function isTooOldForIndex(db: Db, sortAt: number, maxPosts: number): boolean {
  const { oldest } = statements(db)
  return indexedPosts(db) >= maxPosts && periodOf(sortAt) <= (oldest.get() ?? Infinity)
}

/** Evicts the oldest posts above the limit, a few at a time. */
export function pruneIndexedPosts(db: WriteDb, maxPosts: number): void {
  const tooMany = Math.min(indexedPosts(db) - maxPosts, PRUNED_AT_ONCE)
  if (tooMany <= 0) return
  addToCount(db, -statements(db).prune.run(tooMany).changes)
  dropEmptiedStretches(db)
}

export function indexedPosts(db: Db): number {
  return statements(db).count.get() ?? 0
}

function addToCount(db: WriteDb, delta: number): void {
  if (delta !== 0) statements(db).setCount.run(indexedPosts(db) + delta)
}

/** Resets the count for an empty index. */
export function resetIndexedPosts(db: WriteDb): void {
  statements(db).setCount.run(0)
}
