// Fills a viewer's memory: what a page asks for and is not in it, batched, by the hydration and the
// views that the slow path uses too.

import type { Hydrator } from '../hydrate/hydrator-types.ts'
import type { Reader } from '../hydrate/reader.ts'
import type { ProfileState } from '../hydrate/types.ts'
import { postViewer, ungatedPostViewer } from '../views/post-viewer.ts'
import { profileViewer } from '../views/profile-viewer.ts'
import { byteText } from '../views/ready-json.ts'
import { relationRules } from '../views/rules.ts'
import type { CachedView } from './cached-view.ts'
import type { KnownRelation, ViewerMemory } from './viewer-memory.ts'

type LoadParts = { hydrator: Hydrator; reader: Reader; memory: ViewerMemory }

/** Of visitors who are not signed in. */
export const NO_VIEWER: KnownRelation = {
  text: '',
  blocks: false,
  mutes: false,
  mutesReposts: false,
  mutesQuotePosts: false,
}

/** Most accounts are nothing to a viewer, and nothing was done to most posts: those share these. */
let nothing: KnownRelation | undefined
let undone: string | undefined

/** @returns those to whom there is a relation by list, which is not loaded. */
export function loadRelations({ hydrator, reader, memory }: LoadParts, uids: number[]): number[] {
  const state = hydrator.relations(uids, reader)
  const byList: number[] = []
  for (const uid of uids) {
    const relation = state.relations.get(uid)
    if (!relation) {
      nothing ??= describe(state, uid)
      memory.keepRelation(uid, nothing, true)
    } else if (relation.blockingByList || relation.blockedByList || relation.mutedByList) {
      byList.push(uid)
    } else memory.keepRelation(uid, describe(state, uid), false)
  }
  return byList
}

/** They show the list, which changes without any tie having changed, and which labelers take down. */
export function loadRelationsByList({ hydrator, reader, memory }: LoadParts, uids: number[]): void {
  const state = hydrator.relations(uids, reader)
  for (const uid of uids) memory.holdRelation(uid, describe(state, uid))
}

function describe(state: ProfileState, uid: number): KnownRelation {
  const text = viewerText(profileViewer(state, uid))
  return { text, ...relationRules(state, uid) }
}

/** Of posts without gates that are not the viewer's own. */
export function loadPosts({ hydrator, reader, memory }: LoadParts, ids: number[]): void {
  const found = hydrator.postViewers(ids, reader)
  undone ??= viewerText(ungatedPostViewer(undefined))
  for (const id of ids) {
    const did = found.get(id)
    memory.keepPost(id, did ? viewerText(ungatedPostViewer(did)) : undone, !did)
  }
}

/** Of all others, each with the cached view that asks for it. */
export function loadGated(
  { hydrator, reader, memory }: LoadParts,
  posts: ReadonlyMap<number, CachedView>,
): void {
  const state = hydrator.posts([...posts.keys()], reader)
  for (const [id, cachedView] of posts) {
    const post = state.posts.get(id)
    memory.keepGated(id, cachedView, post ? viewerText(postViewer(state, post)) : '')
  }
}

function viewerText(view: object | undefined): string {
  return view ? `,"viewer":${byteText(view)}` : ''
}
