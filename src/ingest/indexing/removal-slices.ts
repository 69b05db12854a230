// The deletion of an account that has many records, slice by slice, so that the stream is not held up.
//
// In the transaction of its event the account is hidden, leaves the timelines, and its first few hundred
// records go; from then on nothing more is accepted of it. What is left goes in slices, each a transaction
// of its own in which counts and memory follow the rows, as if the records were deleted one by one. Who
// still has records to go stands in `removals`, so a restart goes on.

import type { Collection } from '../../base/atproto/collections.ts'
import type { PackedRkey } from '../../base/atproto/keys.ts'
import { deleteBlock } from '../../data/store/blocks.ts'
import { blockEdges, followEdges, likeEdges } from '../../data/store/edges/all-edges.ts'
import type { Edge } from '../../data/store/edges/edge.ts'
import type { EdgeTable } from '../../data/store/edges/edge-table.ts'
import { ANCHOR } from '../../data/store/post-flags.ts'
import {
  DELETED,
  emptyPost,
  findPostById,
  presentPostIds,
  prunedPostIds,
} from '../../data/store/posts.ts'
import { deleteRemoval, insertRemoval, isBeingRemoved } from '../../data/store/removals.ts'
import { storedKeys } from '../../data/store/stored-keys.ts'
import { removeAccount } from './account-removal.ts'
import { retractFollow } from './follow.ts'
import type { IndexContext, RecordRemoval } from './index-context.ts'
import { retractLike } from './like.ts'
import { removeListItem } from './list-item.ts'
import { retractPost } from './post.ts'
import { removeRepost } from './repost.ts'

type Remove = (ctx: IndexContext, removal: RecordRemoval) => boolean

/** Those of which an account may have very many, besides posts. The rest goes at once. */
const removers: [Collection, Remove][] = [
  ['app.bsky.feed.repost', removeRepost],
  ['app.bsky.graph.listitem', removeListItem],
]

/** Packed: to find one by its key takes a look through all of an account's, so these are taken in order. */
const packed: [EdgeTable, (ctx: IndexContext, edge: Edge) => void][] = [
  [likeEdges, retractLike],
  [followEdges, retractFollow],
  [blockEdges, (ctx, edge) => deleteBlock(ctx.db, edge)],
]

export const REMOVED_AT_ONCE = 500

/** The account was deleted, and is hidden already. */
export function beginRemoval(ctx: IndexContext, uid: number): void {
  ctx.deletedAccounts.add(uid)
  ctx.changes.push({ kind: 'actor-removed', uid })
  insertRemoval(ctx.db, uid, ctx.now)
  removeSlice(ctx, uid)
}

/** The next few hundred records. @returns whether nothing is left. */
export function removeSlice(ctx: IndexContext, uid: number): boolean {
  let left = REMOVED_AT_ONCE - removePosts(ctx, uid, REMOVED_AT_ONCE)
  for (const [collection, remove] of removers) {
    if (left > 0) left -= removeSome(ctx, { uid, collection, remove, limit: left })
  }
  for (const [table, retract] of packed) {
    if (left > 0) left -= removeEdges(ctx, { uid, table, retract, limit: left })
  }
  if (left <= 0) return false
  finishRemoval(ctx, uid)
  return true
}

/** All that is left, where that can't wait: the account is back. */
export function finishRemoval(ctx: IndexContext, uid: number): void {
  if (!isBeingRemoved(ctx.db, uid)) return
  removeAccount(ctx, uid)
  deleteRemoval(ctx.db, uid)
}

function removePosts(ctx: IndexContext, uid: number, limit: number): number {
  const ids = presentPostIds(ctx.db, uid, limit)
  if (ids.length < limit) ids.push(...prunedPostIds(ctx.db, uid, limit - ids.length))
  for (const id of ids) {
    const row = findPostById(ctx.db, id)!
    retractPost(ctx, row)
    emptyPost(ctx.db, row, { state: DELETED, rev: null, flags: row.flags & ANCHOR })
  }
  return ids.length
}

function removeSome(
  ctx: IndexContext,
  what: { uid: number; collection: Collection; remove: Remove; limit: number },
): number {
  const { uid, collection, remove, limit } = what
  const first = storedKeys(ctx.db, collection, { uid, size: limit }).next()
  const keys: PackedRkey[] = first.done ? [] : first.value
  for (const rkey of keys) remove(ctx, { uid, collection, rkey, rev: '', seenAtUs: 0 })
  return keys.length
}

function removeEdges(
  ctx: IndexContext,
  what: {
    uid: number
    table: EdgeTable
    retract: (ctx: IndexContext, edge: Edge) => void
    limit: number
  },
): number {
  const { uid, table, retract, limit } = what
  let removed = 0
  for (const pointer of table.pointersOf(ctx.db, uid).slice(0, limit)) {
    for (const edge of table.resolve(ctx.db, uid, pointer)) {
      retract(ctx, edge)
      removed++
    }
  }
  return removed
}
