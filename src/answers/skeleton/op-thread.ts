// The chain of posts in which the thread's owner continues: from the root, always the oldest reply by the
// owner. As in the reference, a deleted reply keeps its place while any of the chain is left below it; after
// that, only a reply written after the deletion may take the place.

import { microsOf, unpackRkey } from '../../base/atproto/keys.ts'
import type { OpReplyRow } from '../../data/store/read/threads.ts'

type Reply = { post: number; deletedAt: number | null; key: string; writtenAt: number }

/** @returns posts.id from the root down; undefined if there is nothing below it. */
export function opThread(root: number, rows: readonly OpReplyRow[]): number[] | undefined {
  if (rows.length === 0) return undefined
  const line = lineBelow(root, { byParent: repliesByParent(rows), visited: new Set([root]) })
  return line && line.length > 0 ? [root, ...line] : undefined
}

function repliesByParent(rows: readonly OpReplyRow[]): Map<number, Reply[]> {
  const byParent = new Map<number, Reply[]>()
  for (const [post, parent, deletedAt, rkey] of rows) {
    // Only TIDs contain a time.
    const writtenAt = typeof rkey === 'string' ? -Infinity : microsOf(rkey) / 1000
    const siblings = byParent.get(parent) ?? []
    siblings.push({ post, deletedAt, key: unpackRkey(rkey), writtenAt })
    byParent.set(parent, siblings)
  }
  for (const replies of byParent.values()) replies.sort((a, b) => (a.key < b.key ? -1 : 1))
  return byParent
}

type Walk = { byParent: Map<number, Reply[]>; visited: Set<number> }

/** Returns undefined if the posts form a cycle: then there is no chain at all. */
function lineBelow(parent: number, walk: Walk): number[] | undefined {
  const { byParent, visited } = walk
  let vacatedAt = 0
  for (const { post, deletedAt, writtenAt } of byParent.get(parent) ?? []) {
    if (visited.has(post)) return undefined
    if (vacatedAt !== 0 && writtenAt <= vacatedAt) continue
    visited.add(post)
    const below = lineBelow(post, walk)
    if (!below) return undefined
    if (deletedAt === null || below.length > 0) return [post, ...below]
    visited.delete(post)
    vacatedAt = Math.max(vacatedAt, deletedAt)
  }
  return []
}
