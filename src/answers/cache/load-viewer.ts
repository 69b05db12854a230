// Fills a viewer's memory with what a page asks for and the memory lacks: batched, and with the same
// hydration and views as the slow path.

import type { Hydrator } from '../hydrate/hydrator-types.ts'
import { type LikerLists, NO_LIKERS } from '../hydrate/known-likers.ts'
import type { Reader } from '../hydrate/reader.ts'
import type { KnownLikers, ProfileState } from '../hydrate/types.ts'
import { byteText, fullText } from '../views/json/ready-json.ts'
import { postViewer, ungatedPostViewer } from '../views/posts/post-viewer.ts'
import { profileViewer } from '../views/profiles/profile-viewer.ts'
import { relationRules } from '../views/rules.ts'
import type { CachedView } from './cached-view.ts'
import type { KnownRelation, ViewerMemory } from './viewer-memory.ts'

type LoadContext = { hydrator: Hydrator; reader: Reader; memory: ViewerMemory }

/** The relation of visitors who are not signed in. */
export const NO_VIEWER: KnownRelation = {
  text: '',
  blocks: false,
  mutes: false,
  mutesReposts: false,
  mutesQuotePosts: false,
}

/**
 * Shared by the accounts without a relation to the viewer and by the posts the viewer did not act
 * on, which are the majority.
 */
let nothing: KnownRelation | undefined
let undone: string | undefined

/** @returns the accounts with a relation by list, which is not loaded. */
export function loadRelations({ hydrator, reader, memory }: LoadContext, uids: number[]): number[] {
  const state = hydrator.relations(uids, reader)
  const byList: number[] = []
  for (const uid of uids) {
    const relation = state.relations.get(uid)
    if (!relation) {
      nothing ??= describe(state, uid)
      memory.addRelation(uid, nothing, true)
    } else if (relation.blockingByList || relation.blockedByList || relation.mutedByList) {
      byList.push(uid)
    } else memory.addRelation(uid, describe(state, uid), false)
  }
  return byList
}

/**
 * Loads relations by list for this visit only: they show the list, which changes without the
 * relation changing and may be taken down by labelers.
 */
export function loadRelationsByList(
  { hydrator, reader, memory }: LoadContext,
  uids: number[],
): void {
  const state = hydrator.relations(uids, reader)
  for (const uid of uids) memory.holdRelation(uid, describe(state, uid))
}

function describe(state: ProfileState, uid: number): KnownRelation {
  const text = viewerText(profileViewer(state, uid))
  return { text, ...relationRules(state, uid) }
}

/** Loads posts that have no gates and are not the viewer's own. */
export function loadPosts({ hydrator, reader, memory }: LoadContext, ids: number[]): void {
  const found = hydrator.postViewers(ids, reader)
  undone ??= viewerText(ungatedPostViewer(undefined))
  for (const id of ids) {
    const did = found.get(id)
    memory.addPost(id, did ? viewerText(ungatedPostViewer(did)) : undone, !did)
  }
}

/**
 * Loads the known likers of these posts. Graph and accounts in memory are a little behind the rows; until they
 * have caught up, what they say is not kept.
 */
export function loadLikers(
  { hydrator, memory }: Omit<LoadContext, 'reader'>,
  ids: number[],
  { lists, isInStep }: { lists: LikerLists | undefined; isInStep: boolean },
): void {
  const { knownLikers } = hydrator
  if (!lists) {
    const found = knownLikers.of(memory.uid, ids)
    for (const id of ids) memory.holdLikers(id, { ...(found.get(id) ?? NOBODY), list: undefined })
    return
  }
  for (const [i, list] of lists.read(ids).entries()) {
    const id = ids[i]!
    const isCached = lists.get(id) === list
    if (isCached && list === NO_LIKERS) continue
    const known = { ...knownLikers.among(memory.uid, list.uids), list: isCached ? list : undefined }
    if (isInStep && isCached) memory.addLikers(id, known)
    else memory.holdLikers(id, known)
  }
}

const NOBODY: KnownLikers = { count: 0, uids: [] }

/** Loads all other posts, each with the cached view that asks for it. */
export function loadGated(
  { hydrator, reader, memory }: LoadContext,
  posts: ReadonlyMap<number, CachedView>,
): void {
  const state = hydrator.posts([...posts.keys()], reader)
  for (const [id, cachedView] of posts) {
    const post = state.posts.get(id)
    memory.addGated(id, cachedView, post ? viewerText(postViewer(state, post)) : '')
  }
}

function viewerText(view: object | undefined): string {
  return view ? fullText(`,"viewer":${byteText(view)}`) : ''
}
