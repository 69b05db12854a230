// The shared rules of threadgates and postgates: a gate belongs to the post with its own creator and record
// key, and a flag on that post marks that it exists.

import { unpackRkey } from '../../../base/atproto/keys.ts'
import { keysIn } from '../../../data/store/fetching/stored-keys.ts'
import {
  deleteGate,
  deleteGatesOf,
  findGate,
  type GateTable,
  putGate as putRow,
} from '../../../data/store/posts/gates.ts'
import { clearPostFlagsOf, findPost, setPostFlags } from '../../../data/store/posts/posts.ts'
import {
  type IndexContext,
  isAuthor,
  type Outcome,
  type RecordRemoval,
  type RecordWrite,
  recordJson,
} from '../index-context.ts'
import { isOutdated } from '../lateness.ts'
import { ensurePost } from '../records/post-rows.ts'
import { parsePostUri } from '../records/record-fields.ts'
import { type CollectionRules, isOfNobodyKnown, isUnreadStrangers } from './collection-rules.ts'

type GateKind = { table: GateTable; flag: number }

function put(ctx: IndexContext, write: RecordWrite, kind: GateKind): Outcome {
  const ref = parsePostUri(write.record['post'])
  if (!ref) return 'subject-unusable'
  if (ref.did !== write.did || ref.rkey !== unpackRkey(write.rkey)) return 'wrong-key'
  const row = write.uid === 0 ? undefined : findPost(ctx.db, write.uid, write.rkey)
  if (!row && ctx.scope !== 'network' && !isAuthor(ctx, write.uid)) return 'out-of-scope'
  const post = row ?? ensurePost(ctx, ref, 0)
  const existing = findGate(ctx.db, kind.table, post.id)
  if (existing?.cid.equals(write.cid)) return 'duplicate'
  if (existing && isOutdated(existing, write)) return 'late'
  putRow(ctx.db, kind.table, {
    post: post.id,
    cid: write.cid,
    rev: write.rev ?? existing?.rev ?? null,
    record: recordJson(write),
    indexed_at: write.indexedAt,
  })
  setPostFlags(ctx.db, post.id, post.flags | kind.flag)
  return 'applied'
}

function remove(ctx: IndexContext, removal: RecordRemoval, kind: GateKind): boolean {
  const post = findPost(ctx.db, removal.uid, removal.rkey)
  if (!post) return false
  const existing = findGate(ctx.db, kind.table, post.id)
  if (!existing || isOutdated(existing, removal)) return false
  deleteGate(ctx.db, kind.table, post.id)
  setPostFlags(ctx.db, post.id, post.flags & ~kind.flag)
  return true
}

/** A gate is removed with its post (retention/sweep-post.ts). */
export function gateRules(kind: GateKind): CollectionRules {
  return {
    put: (ctx, write) => put(ctx, write, kind),
    remove: (ctx, removal) => remove(ctx, removal, kind),
    isFar: isOfNobodyKnown,
    isFarUnread: isUnreadStrangers,
    removeAll(ctx, uid) {
      deleteGatesOf(ctx.db, kind.table, uid)
      clearPostFlagsOf(ctx.db, uid, kind.flag)
    },
    release: [],
    storedKeys: keysIn(kind.table),
    readWith: 'blocks',
  }
}
