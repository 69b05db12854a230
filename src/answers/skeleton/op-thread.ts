// The chain of posts in which the thread's owner continues: from the root, always the oldest reply by the
// owner. As in the reference, a deleted reply keeps its place while any of the chain is left below it; after
// that, only a reply written after the deletion may take the place.

import { microsOf, unpackRkey } from '../../base/atproto/keys.ts'
import type { OpReplyRow } from '../../data/store/read/posts/threads.ts'

type Reply = { post: number; deletedAt: number | null; key: string; writtenAt: number }

/** @returns posts.id from the root down; undefined if there is nothing below it. */
export function opThread(root: number, rows: readonly OpReplyRow[]): number[] | undefined {
  if (rows.length === 0) return undefined
  const line = lineBelow(root, repliesByParent(rows))
  return line && line.length > 1 ? line : undefined
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

/** A post of the line, and which of its replies may take the next place. */
type Step = { reply: Reply; replies: readonly Reply[]; next: number; vacatedAt: number }

/**
 * Without recursion: a line may be longer than the stack is deep. Undefined if the posts form a
 * cycle: then there is no chain at all.
 */
function lineBelow(root: number, byParent: ReadonlyMap<number, Reply[]>): number[] | undefined {
  const stepTo = (reply: Reply): Step => {
    return { reply, replies: byParent.get(reply.post) ?? [], next: 0, vacatedAt: 0 }
  }
  const line = [stepTo({ post: root, deletedAt: null, key: '', writtenAt: 0 })]
  const visited = new Set([root])
  for (;;) {
    const last = line.at(-1)!
    const reply = last.replies[last.next++]
    if (reply) {
      if (visited.has(reply.post)) return undefined
      if (last.vacatedAt !== 0 && reply.writtenAt <= last.vacatedAt) continue
      visited.add(reply.post)
      line.push(stepTo(reply))
    } else {
      const { post, deletedAt } = last.reply
      if (deletedAt === null) return line.map((step) => step.reply.post)
      line.pop()
      visited.delete(post)
      const above = line.at(-1)!
      above.vacatedAt = Math.max(above.vacatedAt, deletedAt)
    }
  }
}
