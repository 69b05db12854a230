// Members' private state, which is in no repository: mutes, muted lists, bookmarks, drafts, preferences.
// Called through `Indexer.run`, so that rows are committed before the request is answered. All writes are
// idempotent.

import { ANCHOR } from '../../../data/store/posts/post-flags.ts'
import { deleteBookmark, insertBookmark } from '../../../data/store/private/bookmarks.ts'
import { deleteDraft, insertDraft, updateDraft } from '../../../data/store/private/drafts.ts'
import { deleteListMute, insertListMute } from '../../../data/store/private/list-mutes.ts'
import {
  deleteMute,
  ONLY_QUOTE_POSTS,
  ONLY_REPOSTS,
  putMute,
} from '../../../data/store/private/mutes.ts'
import { putActorPreferences } from '../../../data/store/private/preferences.ts'
import { type IndexContext, internActor } from '../index-context.ts'
import { addPostCandidates } from '../records/gc-posts.ts'
import { ensureList, ensurePost, lookUpList, lookUpPost } from '../records/post-rows.ts'
import { LIST_COLLECTION, parsePostUri, parseRecordUri } from '../records/record-fields.ts'

type MuteScope = { onlyReposts?: boolean; onlyQuoteposts?: boolean }

/** `createdAt` defaults to now, here and below; milliseconds. */
type When = { createdAt?: number }

export function mute(
  ctx: IndexContext,
  did: string,
  subjectDid: string,
  { onlyReposts = false, onlyQuoteposts = false, createdAt = ctx.now }: MuteScope & When = {},
): void {
  const scope = (onlyReposts ? ONLY_REPOSTS : 0) | (onlyQuoteposts ? ONLY_QUOTE_POSTS : 0)
  const uid = internActor(ctx, did)
  putMute(ctx.db, { uid, subject: internActor(ctx, subjectDid), scope, createdAt })
}

export function unmute(ctx: IndexContext, did: string, subjectDid: string): void {
  const uid = ctx.actors.uidOf(did)
  const subject = ctx.actors.uidOf(subjectDid)
  if (uid !== 0 && subject !== 0) deleteMute(ctx.db, uid, subject)
}

/** All accounts on the list must be known: the caller has the list fetched. */
export function muteList(
  ctx: IndexContext,
  did: string,
  uri: string,
  { createdAt = ctx.now }: When = {},
): void {
  const ref = parseRecordUri(uri, LIST_COLLECTION)
  if (!ref) return
  const list = ensureList(ctx, ref).id
  insertListMute(ctx.db, { uid: internActor(ctx, did), list, createdAt })
}

export function unmuteList(ctx: IndexContext, did: string, uri: string): void {
  const uid = ctx.actors.uidOf(did)
  const ref = parseRecordUri(uri, LIST_COLLECTION)
  const list = ref && lookUpList(ctx, ref)
  if (uid !== 0 && list) deleteListMute(ctx.db, uid, list.id)
}

/** The post is kept from now on, as if the member had replied to it. The caller has it fetched. */
export function bookmark(
  ctx: IndexContext,
  did: string,
  { uri, cid, createdAt = ctx.now }: { uri: string; cid: string } & When,
): void {
  const ref = parsePostUri(uri)
  if (!ref) return
  const post = ensurePost(ctx, ref, ANCHOR)
  insertBookmark(ctx.db, { uid: internActor(ctx, did), post: post.id, cid, createdAt })
}

export function unbookmark(ctx: IndexContext, did: string, uri: string): void {
  const uid = ctx.actors.uidOf(did)
  const ref = parsePostUri(uri)
  const post = ref && lookUpPost(ctx, ref)
  if (uid === 0 || !post) return
  deleteBookmark(ctx.db, uid, post.id)
  addPostCandidates(ctx, [post.id])
}

/** `draft` is JSON. */
type DraftWrite = { draftId: string; draft: string }

export function createDraft(
  ctx: IndexContext,
  did: string,
  {
    draftId,
    draft,
    createdAt = ctx.now,
    updatedAt = createdAt,
  }: DraftWrite & When & { updatedAt?: number },
): void {
  insertDraft(ctx.db, { uid: internActor(ctx, did), id: draftId, draft, createdAt, updatedAt })
}

export function changeDraft(ctx: IndexContext, did: string, { draftId, draft }: DraftWrite): void {
  updateDraft(ctx.db, { uid: ctx.actors.uidOf(did), id: draftId, draft, updatedAt: ctx.now })
}

export function removeDraft(ctx: IndexContext, did: string, draftId: string): void {
  deleteDraft(ctx.db, ctx.actors.uidOf(did), draftId)
}

/** @param preferences - JSON, as received */
export function setActorPreferences(ctx: IndexContext, did: string, preferences: string): void {
  putActorPreferences(ctx.db, internActor(ctx, did), preferences)
}
