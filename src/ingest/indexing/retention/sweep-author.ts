// An account that is no author any more: each of its records is kept only if a stranger's would be, and so is
// what others did to it.

import { blockEdges, followEdges, likeEdges } from '../../../data/store/edges/all-edges.ts'
import { GC, putGcCandidate, type Reached } from '../../../data/store/gc-candidates.ts'
import { deleteListBlock, listBlocksOn } from '../../../data/store/list-blocks.ts'
import { deleteListItem } from '../../../data/store/list-items.ts'
import { emptyList } from '../../../data/store/lists.ts'
import { postRowsOf } from '../../../data/store/posts.ts'
import { repostsOfAccount } from '../../../data/store/reactions.ts'
import {
  blockersByList,
  dropList,
  dropRecord,
  hasMembersOn,
  hasThreadgates,
  isMutedList,
  listBlocksBy,
  listItemsBy,
  listsBy,
  recordLikers,
  recordLikesBy,
} from '../../../data/store/unneeded.ts'
import { type IndexContext, isAuthor } from '../index-context.ts'
import { removeRecordLike } from '../record-like.ts'
import { dropBlock, dropFollow, dropLike, dropRepost } from './drop-edges.ts'
import { goesOnAfter, keyAfter, once, PAGE, type Step } from './step.ts'
import { forgetFetches } from './sweep-account.ts'
import { isKept } from './sweep-around.ts'
import { dropPointedBy, dropPointers, eachPointer } from './sweep-edges.ts'
import { addWhatItPointsAt, sweepPost } from './sweep-post.ts'

const isKeptSubject = (ctx: IndexContext, uid: number) =>
  ctx.keptScope !== 'authors' && isAuthor(ctx, uid)

export const stepsOfAuthor: readonly Step[] = [
  once(forgetFetches),
  sweepPosts,
  sweepReposts,
  eachPointer(likeEdges, (ctx, uid, pointer) => {
    sweepPost(ctx, pointer.subject)
    if (isKept(ctx, pointer.subject) && ctx.keptScope !== 'authors') return
    for (const like of likeEdges.resolve(ctx.db, uid, pointer)) dropLike(ctx, like)
    putGcCandidate(ctx.db, GC.post, pointer.subject)
  }),
  dropPointers(followEdges, dropFollow, isKeptSubject),
  dropPointedBy(followEdges, dropFollow, isAuthor),
  dropPointers(blockEdges, dropBlock, isKeptSubject),
  dropPointedBy(blockEdges, dropBlock, isAuthor),
  sweepListBlocks,
  sweepListItems,
  sweepLists,
  sweepRecordLikes,
  once(addAccount),
]

/** Of somebody who need not ever have been an author: nothing but their lists is asked about. */
export const stepsOfLists: readonly Step[] = [sweepListItems, sweepLists, once(addAccount)]

function addAccount({ db }: IndexContext, uid: number): void {
  putGcCandidate(db, GC.account, uid)
}

function sweepPosts(ctx: IndexContext, uid: number, reached: Reached | null) {
  const page = postRowsOf(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  for (const row of page) {
    // An author pointed at these, and does no more.
    addWhatItPointsAt(ctx, row)
    sweepPost(ctx, row.id)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

function sweepReposts(ctx: IndexContext, uid: number, reached: Reached | null) {
  const page = repostsOfAccount(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  for (const repost of page) {
    sweepPost(ctx, repost.subject)
    if (isKept(ctx, repost.subject) && ctx.keptScope !== 'authors') continue
    dropRepost(ctx, repost)
    putGcCandidate(ctx.db, GC.post, repost.subject)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

function sweepListBlocks(ctx: IndexContext, uid: number, reached: Reached | null) {
  const page = listBlocksBy(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  for (const { rkey, list, owner } of page) {
    if (isListInUse(ctx, list, owner)) continue
    deleteListBlock(ctx.db, uid, rkey)
    putGcCandidate(ctx.db, GC.lists, owner)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

function sweepListItems(ctx: IndexContext, uid: number, reached: Reached | null) {
  const page = listItemsBy(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  const isInUse = remembering((list) => isListInUse(ctx, list, uid))
  for (const { rkey, list, subject } of page) {
    if (isInUse(list)) continue
    deleteListItem(ctx.db, uid, rkey)
    putGcCandidate(ctx.db, GC.account, subject)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

function sweepLists(ctx: IndexContext, uid: number, reached: Reached | null) {
  const page = listsBy(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  for (const { id, people } of page) {
    if (isListInUse(ctx, id, uid)) continue
    for (const block of listBlocksOn(ctx.db, id, PAGE)) {
      deleteListBlock(ctx.db, block.uid, block.rkey)
      putGcCandidate(ctx.db, GC.account, block.uid)
    }
    // Once more, for the next page of them.
    if (blockersByList(ctx.db, id).length > 0) putGcCandidate(ctx.db, GC.lists, uid)
    else if (people === 0) dropList(ctx.db, id, uid)
    else emptyList(ctx.db, { id, uid }, null)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

function sweepRecordLikes(ctx: IndexContext, uid: number, reached: Reached | null) {
  const page = recordLikesBy(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  for (const { rkey, subject, owner, isHere } of page) {
    putGcCandidate(ctx.db, GC.account, owner)
    if (isHere) continue
    const likers = recordLikers(ctx.db, subject)
    if (likers.some((liker) => isAuthor(ctx, liker))) continue
    removeRecordLike(ctx, { uid, rkey })
    if (recordLikers(ctx.db, subject).length === 0) dropRecord(ctx.db, subject)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

/**
 * Whether an author or member blocks or mutes by it, a member is on it, or somebody's thread may be open to
 * it: then it is here, and so is what strangers do with it.
 */
function isListInUse(ctx: IndexContext, list: number, owner: number): boolean {
  if (isAuthor(ctx, owner) || isMutedList(ctx.db, list)) return true
  if (blockersByList(ctx.db, list).some((uid) => isAuthor(ctx, uid))) return true
  if (hasThreadgates(ctx.db, owner)) return true
  return ctx.keptScope !== 'authors' && hasMembersOn(ctx.db, list)
}

/** A page has many of the same list. */
function remembering(ask: (list: number) => boolean): (list: number) => boolean {
  const answers = new Map<number, boolean>()
  return (list) => {
    const answer = answers.get(list) ?? ask(list)
    answers.set(list, answer)
    return answer
  }
}
