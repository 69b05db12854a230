// Helpers that look up a world's store records by their URI.

import { packRkey } from '../../src/base/atproto/keys.ts'
import type { Db } from '../../src/data/store/db.ts'
import { blockEdges, followEdges, likeEdges } from '../../src/data/store/edges/all-edges.ts'
import type { EdgeTable } from '../../src/data/store/edges/edge-table.ts'
import type { RecordId, World } from './world.ts'

const packed = new Map([
  ['likes', likeEdges],
  ['follows', followEdges],
  ['blocks', blockEdges],
])

export type PostState = {
  id: number
  state: number
  flags: number
  sort_at: number | null
  likes: number
  reposts: number
  replies: number
  quotes: number
}

/** The post's row with its counts, or undefined if the store has none. */
export function postOf(world: World, post: RecordId | string): PostState | undefined {
  const uri = typeof post === 'string' ? post : post.uri
  const [did, , rkey] = uri.slice('at://'.length).split('/') as [string, string, string]
  const sql = `SELECT id, state, flags, sort_at, coalesce(likes, 0) AS likes, coalesce(reposts, 0) AS reposts,
    coalesce(replies, 0) AS replies, coalesce(quotes, 0) AS quotes
    FROM posts LEFT JOIN post_counts ON post = id WHERE uid = ? AND rkey = ?`
  return world.db.prepare<unknown[], PostState>(sql).get(world.uid(did), packRkey(rkey))
}

/** Jobs as "kind subject", sorted. */
export function jobsOf(world: World): string[] {
  const sql = "SELECT kind || ' ' || subject FROM jobs ORDER BY 1"
  return world.db.prepare<[], string>(sql).pluck().all()
}

/** Counts a table's rows, or the records of a packed kind. */
export function countRows(world: World, table: string): number {
  const edges = packed.get(table)
  if (edges) return pairsOf(world.db, edges).length
  return world.db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!
}

/** Pairs of creator and subject, one per record. */
export function pairsOf(db: Db, table: EdgeTable): [creator: number, subject: number][] {
  return [...table.lists(db)].flatMap(([creator, subjects]) =>
    Array.from(subjects, (subject): [number, number] => [creator, subject]),
  )
}
