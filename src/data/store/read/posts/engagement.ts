// Reposts and quotes of a post, and an account's reposts, newest first; of one moment, the last added first.

import type { Db } from '../id-list.ts'

export type EngagementPosition = { sortAt: number; id: number }

/** `text` is what a page lists: the reposter's uid, or the quote's posts.id. */
export type EngagementRow = EngagementPosition & { shown: number }

/** @param of - a post, or an account */
export type ReadEngagement = (
  of: number,
  below: EngagementPosition,
  limit: number,
) => EngagementRow[]

type EngagementReader = {
  reposts: ReadEngagement
  repostsBy: ReadEngagement
  quotes: ReadEngagement
  hasReposted(uid: number, post: number): boolean
  /** State of a post; see posts.ts. Undefined if there is no row. */
  stateOf(post: number): number | undefined
}

const page = (text: string, table: string, condition: string) => /* sql */ `
SELECT id, sort_at AS sortAt, ${text} AS shown FROM ${table}
WHERE ${condition} AND (sort_at, id) < (+?, +?) ORDER BY sort_at DESC, id DESC LIMIT +?`

/** An account may have reposted it more than once. */
const FIRST_OF_PAIR = /* sql */ `NOT EXISTS (SELECT 1 FROM reposts o
  WHERE o.subject = r.subject AND o.uid = r.uid AND o.id < r.id)`

export function prepareEngagement(db: Db): EngagementReader {
  const prepare = (sql: string): ReadEngagement => {
    const select = db.prepare<[number, number, number, number], EngagementRow>(sql)
    return (of, { sortAt, id }, limit) => select.all(of, sortAt, id, limit)
  }
  const repost = db
    .prepare<[number, number], number>(
      'SELECT 1 FROM reposts WHERE subject = ? AND uid = ? LIMIT 1',
    )
    .pluck()
  const state = db.prepare<[number], number>('SELECT state FROM posts WHERE id = ?').pluck()
  return {
    reposts: prepare(page('uid', 'reposts AS r', `subject = +? AND ${FIRST_OF_PAIR}`)),
    repostsBy: prepare(page('id', 'reposts', 'uid = +?')),
    quotes: prepare(page('id', 'posts', 'quote = +? AND state = 1')),
    hasReposted: (uid, post) => repost.get(post, uid) !== undefined,
    stateOf: (post) => state.get(post),
  }
}
