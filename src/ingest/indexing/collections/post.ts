// app.bsky.feed.post. Fills and empties rows, and applies the effects on counts, on followers' timelines, and
// on what must be fetched.

import { cidRank } from '../../../base/atproto/keys.ts'
import { asObject } from '../../../base/util/json-object.ts'
import { itemHash } from '../../../data/graph/lossiness.ts'
import { keysIn } from '../../../data/store/fetching/stored-keys.ts'
import { removeMentions } from '../../../data/store/posts/mentions.ts'
import { putOpReply } from '../../../data/store/posts/op-replies.ts'
import {
  ANCHOR,
  HAS_POSTGATE,
  HAS_THREADGATE,
  INVALID_REPLY_ROOT,
  REACTIONS_PRUNED,
  REPLY_TO_NO_POST,
  VIOLATES_THREADGATE,
} from '../../../data/store/posts/post-flags.ts'
import {
  DELETED,
  emptyPost,
  fillPost,
  findPost,
  findPostById,
  insertStubPost,
  type PostHandle,
  type PostRow,
  PRESENT,
  PRUNED,
  postRowsOf,
  presentPostIds,
  presentReplies,
  prunedPostIds,
  setPostFlags,
} from '../../../data/store/posts/posts.ts'
import { postItem } from '../../../data/store/timelines/item-ids.ts'
import { fetchCard, fetchPerson, fetchPost } from '../fetch-missing.ts'
import {
  actorCounts,
  type IndexContext,
  internCreator,
  isAuthor,
  isMember,
  isTooEarly,
  type Outcome,
  postCounts,
  type RecordRemoval,
  type RecordWrite,
  recordJson,
  sortAtOf,
} from '../index-context.ts'
import { isOutdated, laterRev } from '../lateness.ts'
import { notifyOfPost, notifyOfRepliesBelow } from '../notifications/notify-post.ts'
import { associateCard, indexMentions } from '../records/associations.ts'
import { ensurePost, lookUpPost, mayStillCome } from '../records/post-rows.ts'
import {
  authorityOf,
  mediaFlags,
  parsePostUri,
  quotedPost,
  type RecordRef,
} from '../records/record-fields.ts'
import { mentionsIn, postgateFlag, replyRootFlag, threadgateFlag } from '../records/reply-rules.ts'
import { retractPost } from '../records/retract-post.ts'
import { goesOnAfter, keyAfter, PAGE } from '../retention/step.ts'
import { addWhatItPointsAt, sweepPost } from '../retention/sweep-post.ts'
import { type CollectionRules, isUnreadReaction, uidOf } from './collection-rules.ts'

/** Flags that belong to the row, not to the record in it. */
const ROW_FLAGS = ANCHOR | HAS_THREADGATE | HAS_POSTGATE | REACTIONS_PRUNED

/** Most replies revised when their parent arrives late. */
const MAX_REPLIES_REVISED = 1_000

type PostRefs = {
  isReply: boolean
  root: RecordRef | undefined
  parent: RecordRef | undefined
  quote: RecordRef | undefined
}

type PostHandles = Record<'root' | 'parent' | 'quote', PostHandle | undefined>

function put(ctx: IndexContext, write: RecordWrite): Outcome {
  const row = write.uid === 0 ? undefined : findPost(ctx.db, write.uid, write.rkey)
  const byAuthor = isAuthor(ctx, write.uid)
  const isSame = row?.state === PRESENT && row.cid?.equals(write.cid)
  if (isSame && !isTooEarly(row, write)) {
    return byAuthor && !(row.flags & ANCHOR) ? adopt(ctx, row, write) : 'duplicate'
  }
  if (row && !isSame && isOutdated(row, write)) return 'late'
  const refs = readRefs(write)
  const isNear = byAuthor || (ctx.scope !== 'authors' && isAddressed(ctx, refs, write))
  if (!row && !isNear && ctx.scope !== 'network') return 'out-of-scope'
  if (row && isCounted(row)) retractPost(ctx, row)
  const uid = internCreator(ctx, write)
  if (row) removeMentions(ctx.db, row.id)
  const flags = (row ? row.flags & ROW_FLAGS : 0) | (byAuthor ? ANCHOR : 0)
  const id = row?.id ?? insertStubPost(ctx.db, uid, write.rkey, flags)
  insert(
    ctx,
    { ...write, uid },
    { id, flags, refs, rev: row?.rev ?? null, hadCard: row?.state === PRESENT },
  )
  if (isNear || row) fetchPerson(ctx, uid)
  // A post without a row has no replies here.
  if (row) reviseReplies(ctx, id)
  if (row && row.state !== PRESENT && refs.parent) notifyOfRepliesBelow(ctx, id)
  return 'applied'
}

/** Turns a stranger's post into an author's: it is now shown with all that belongs to it. */
function adopt(ctx: IndexContext, row: PostRow, write: RecordWrite): Outcome {
  setPostFlags(ctx.db, row.id, row.flags | ANCHOR)
  const handles = ensureRefs(ctx, readRefs(write), ANCHOR)
  fetchRefs(ctx, handles, { byAuthor: true, isAnchor: true })
  fetchCard(ctx, row.id)
  return 'applied'
}

function remove(ctx: IndexContext, { uid, rkey, rev }: RecordRemoval): boolean {
  const row = findPost(ctx.db, uid, rkey)
  if (!row || isOutdated(row, { rev })) return false
  if (isCounted(row)) retractPost(ctx, row)
  emptyPost(ctx.db, row, { state: DELETED, rev, flags: row.flags & ROW_FLAGS })
  return true
}

/** A post pruned for its age still counts. */
function isCounted({ state }: PostRow): boolean {
  return state === PRESENT || state === PRUNED
}

function insert(
  ctx: IndexContext,
  write: RecordWrite,
  row: { id: number; flags: number; refs: PostRefs; rev: string | null; hadCard: boolean },
): void {
  const { uid } = write
  const handles = ensureRefs(ctx, row.refs, isAuthor(ctx, uid) ? ANCHOR : 0)
  const root = handles.root?.id ?? null
  const parent = handles.parent?.id ?? null
  const quote = handles.quote?.id ?? null
  let flags = row.flags | mediaFlags(write.record)
  if (row.refs.isReply) {
    flags |= replyRootFlag(ctx, root, parent) | threadgateFlag(ctx, uid, root)
    if (parent === null) flags |= REPLY_TO_NO_POST
  }
  if (handles.quote) flags |= postgateFlag(ctx, uid, handles.quote)
  const sortAt = sortAtOf(write)
  fillPost(ctx.db, {
    id: row.id,
    uid,
    cid: write.cid,
    rev: write.rev === undefined ? row.rev : laterRev(write.rev, row.rev),
    record: recordJson(write),
    created_at: write.createdAt,
    indexed_at: write.indexedAt,
    sort_at: sortAt,
    root,
    parent,
    quote,
    flags,
  })
  indexMentions(ctx.db, row.id, write.record)
  const hasCard = associateCard(ctx, row.id, write.record, row.hadCard)
  actorCounts(ctx, uid).posts++
  if (parent !== null && !(flags & VIOLATES_THREADGATE)) postCounts(ctx, parent).replies++
  if (quote !== null) postCounts(ctx, quote).quotes++
  if (root !== null && parent !== null && handles.root?.uid === uid) {
    putOpReply(ctx.db, { root, post: row.id, parent })
  }
  if (isAuthor(ctx, uid)) {
    const position = { item: postItem(row.id), sortAt, rank: cidRank(write.cidText) }
    const hash = itemHash(ctx.actors.hashOf(uid), write.rkey, false)
    ctx.changes.push({ kind: 'item-added', entry: { ...position, originator: uid }, hash })
  }
  const { quote: quoted, isReply } = row.refs
  notifyOfPost(ctx, write, { flags, parent, root, quote: quoted, isReply })
  fetchRefs(ctx, handles, { byAuthor: isAuthor(ctx, uid), isAnchor: (flags & ANCHOR) !== 0 })
  if (hasCard && flags & ANCHOR) fetchCard(ctx, row.id)
}

/** Null fields of a reply that references no post leave it outside of any thread. */
function readRefs({ record }: RecordWrite): PostRefs {
  const reply = asObject(record['reply'])
  const root = parsePostUri(asObject(reply?.['root'])?.['uri'])
  const parent = parsePostUri(asObject(reply?.['parent'])?.['uri'])
  const isComplete = root !== undefined && parent !== undefined
  return {
    isReply: reply !== undefined,
    root: isComplete ? root : undefined,
    parent: isComplete ? parent : undefined,
    quote: quotedPost(record),
  }
}

function ensureRefs(ctx: IndexContext, refs: PostRefs, flags: number): PostHandles {
  const ensure = (ref: RecordRef | undefined) => ref && ensurePost(ctx, ref, flags)
  return { root: ensure(refs.root), parent: ensure(refs.parent), quote: ensure(refs.quote) }
}

/**
 * An author's post is shown with parent, root and quote. A post that an author references is shown
 * with its own parent and quote, and no further.
 */
function fetchRefs(
  ctx: IndexContext,
  handles: PostHandles,
  { byAuthor, isAnchor }: { byAuthor: boolean; isAnchor: boolean },
): void {
  if (!byAuthor && !isAnchor) return
  const wanted = [handles.parent, handles.quote, byAuthor ? handles.root : undefined]
  for (const handle of wanted) {
    if (!handle) continue
    fetchPost(ctx, handle)
    fetchPerson(ctx, handle.uid)
  }
}

/**
 * Whether a stranger's post replies in an author's thread, quotes from it, or mentions a member.
 */
function isAddressed(ctx: IndexContext, refs: PostRefs, write: RecordWrite): boolean {
  for (const ref of [refs.root, refs.parent, refs.quote]) {
    const row = ref && lookUpPost(ctx, ref)
    if (row && (row.flags & ANCHOR || isAuthor(ctx, row.uid))) return true
    if (ref && mayStillCome(ctx, ref, { row, at: write.indexedAt })) return true
  }
  return mentionsIn(write.record).some((did) => isMember(ctx, ctx.actors.uidOf(did)))
}

/**
 * A parent that arrives after its replies may make them, and replies to those, valid or invalid.
 */
function reviseReplies(ctx: IndexContext, id: number): void {
  const parents = [id]
  for (let seen = 0; parents.length > 0 && seen < MAX_REPLIES_REVISED; ) {
    for (const reply of presentReplies(ctx.db, parents.pop()!, MAX_REPLIES_REVISED - seen)) {
      seen++
      const flag = replyRootFlag(ctx, reply.root, reply.parent)
      if (flag === (reply.flags & INVALID_REPLY_ROOT)) continue
      setPostFlags(ctx.db, reply.id, (reply.flags & ~INVALID_REPLY_ROOT) | flag)
      parents.push(reply.id)
    }
  }
}

/** @returns how many posts were removed */
function removeSome(ctx: IndexContext, uid: number, limit?: number): number {
  const ids = presentPostIds(ctx.db, uid, limit)
  const left = limit === undefined ? undefined : limit - ids.length
  if (left !== 0) ids.push(...prunedPostIds(ctx.db, uid, left))
  for (const id of ids) {
    const row = findPostById(ctx.db, id)!
    retractPost(ctx, row)
    emptyPost(ctx.db, row, { state: DELETED, rev: null, flags: row.flags & ANCHOR })
  }
  return ids.length
}

const isFar: CollectionRules['isFar'] = (ctx, uid, { record }) => {
  if (uid !== 0) return false
  if (ctx.scope === 'authors') return true
  const reply = asObject(record['reply'])
  const embedded = asObject(asObject(record['embed'])?.['record'])
  const uris = [
    asObject(reply?.['root'])?.['uri'],
    asObject(reply?.['parent'])?.['uri'],
    embedded?.['uri'],
    asObject(embedded?.['record'])?.['uri'],
  ]
  if (uris.some((uri) => uidOf(ctx, authorityOf(uri)) !== 0)) return false
  return !mentionsIn(record).some((did) => isMember(ctx, uidOf(ctx, did)))
}

export const post: CollectionRules = {
  put,
  remove,
  isFar,
  isFarUnread: (ctx, uid, commit) => uid === 0 && isUnreadReaction(ctx, uid, commit),
  removeSome,
  removeAll: (ctx, uid) => void removeSome(ctx, uid),
  release: [
    (ctx, uid, reached) => {
      const page = postRowsOf(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
      for (const row of page) {
        // These were referenced by an author, who is no longer one.
        addWhatItPointsAt(ctx, row)
        sweepPost(ctx, row.id)
      }
      return goesOnAfter(page, ({ rkey }) => rkey)
    },
  ],
  storedKeys: keysIn('posts'),
  readWith: 'feed',
}
