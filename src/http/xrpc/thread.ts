// What the methods about threads share: the thread read and hydrated, its posts presented, and what is
// missing in it asked for.

import type { ThreadState } from '../../answers/hydrate/thread-types.ts'
import type { Viewer } from '../../answers/hydrate/types.ts'
import type { ThreadRequest, ThreadSkeleton } from '../../answers/skeleton/thread.ts'
import { postView, threadgateView } from '../../answers/views/post-view.ts'
import { ReadyJson } from '../../answers/views/ready-json.ts'
import { knownLikersView } from '../../answers/views/thread-v2.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { isPostUri, type NamedPost } from './post-names.ts'

export type Thread = {
  skeleton: ThreadSkeleton
  state: ThreadState
  /** All posts but the anchor. */
  ids: number[]
}

/** As in the reference, a moderation service sees threads through blocks, its own and those of others. */
export function threadViewer(
  { actors, moderationServices }: AppContext,
  did: string | undefined,
): Viewer {
  const viewer = viewerOf(actors, did)
  return viewer && moderationServices.has(viewer.did)
    ? { ...viewer, seesThroughBlocks: true }
    : viewer
}

export function readThread(
  serving: AppContext,
  { uri, id }: NamedPost,
  options: Pick<ThreadRequest, 'above' | 'below' | 'order'> & {
    viewer: Viewer
    knownLikers?: boolean
  },
): Thread {
  const { viewer, knownLikers, ...range } = options
  const skeleton = serving.threads({ ...range, anchor: id, viewer: viewer?.uid ?? 0 })
  const ids = [...skeleton.above, ...skeleton.below]
  const state = serving.hydrator.thread({ anchor: id, ids, knownLikers }, viewer)
  serving.fetchRequests.afterFeed(state)
  if (id === 0 && isPostUri(uri)) serving.fetchRequests.ask(viewer, { uris: [uri] })
  return { skeleton, state, ids }
}

/** Of the anchor's thread. */
export function threadgateOf({ state, skeleton: { anchor } }: Thread) {
  return threadgateView(state, { id: state.posts.get(anchor)?.root ?? anchor })
}

const MAX_ROUNDS = 3

/**
 * @param plan - which posts are shown, without those that turned out not to be
 * @returns the last plan, with each of its posts as JSON
 */
export function presentThread<Plan>(
  serving: AppContext,
  thread: Thread,
  { plan, postsOf }: { plan: (absent: Set<number>) => Plan; postsOf: (plan: Plan) => number[] },
): { plan: Plan; posts: Map<number, ReadyJson | object> } {
  const absent = new Set<number>()
  for (let round = 1; ; round++) {
    const planned = plan(absent)
    const ids = postsOf(planned)
    const posts = presentPosts(serving, thread, ids)
    const lost = ids.filter((id) => !posts.has(id))
    if (lost.length === 0 || round === MAX_ROUNDS) return { plan: planned, posts }
    for (const id of lost) absent.add(id)
  }
}

function presentPosts(
  { viewCache, hydrator }: AppContext,
  { state, skeleton: { anchor } }: Thread,
  ids: readonly number[],
): Map<number, ReadyJson | object> {
  const posts = new Map<number, ReadyJson | object>()
  for (const [i, text] of viewCache.posts(ids, state.viewer).entries()) {
    if (text !== undefined) posts.set(ids[i]!, new ReadyJson([text]))
  }
  const author = state.posts.get(anchor)?.uid ?? 0
  const knownLikers = posts.has(anchor) ? knownLikersView(state, author) : undefined
  if (!knownLikers) return posts
  const view = postView(hydrator.posts([anchor], state.viewer), anchor)
  if (view) posts.set(anchor, { ...view, viewer: { ...view.viewer, knownLikers } })
  return posts
}
