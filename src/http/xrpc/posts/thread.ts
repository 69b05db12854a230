// The shared part of the thread methods: reads and hydrates the thread, presents its posts, and requests the
// missing ones. A thread is no page that could end early, so its generators hand the thread back (base/util/turn.ts).

import { joinThread } from '../../../answers/hydrate/join-threads.ts'
import type { Reader } from '../../../answers/hydrate/reader.ts'
import type { ThreadState } from '../../../answers/hydrate/thread-types.ts'
import type { ThreadRequest, ThreadSkeleton } from '../../../answers/skeleton/thread.ts'
import type { ReadyJson } from '../../../answers/views/json/ready-json.ts'
import { threadgateView } from '../../../answers/views/posts/post-view.ts'
import { inParts } from '../../../base/util/turn.ts'
import type { Needs } from '../define.ts'
import { isPostUri, type NamedPost } from '../naming/post-names.ts'
import { type AnswerBudget, createAnswerBudget } from '../paging/answer-budget.ts'

type Thread = {
  reader: Reader
  skeleton: ThreadSkeleton
  state: ThreadState
  /** All posts but the anchor, and those that are too much for one answer. */
  ids: number[]
}

/**
 * As in the reference, a moderation service sees threads through blocks, both its own and others'.
 */
function threadReader({ moderationServices }: Needs<'moderationServices'>, reader: Reader): Reader {
  const { viewer } = reader
  const isModerator = viewer && !viewer.withoutPrivateState && moderationServices.has(viewer.did)
  if (!isModerator) return reader
  return { ...reader, viewer: { ...viewer, seesThroughBlocks: true } }
}

export function* readThread(
  app: Needs<'hydrator' | 'moderationServices' | 'threads'>,
  { uri, id }: NamedPost,
  options: Pick<ThreadRequest, 'above' | 'below' | 'order'> & {
    reader: Reader
  },
): Generator<void, Thread> {
  const { reader: requested, ...range } = options
  const reader = threadReader(app, requested)
  const skeleton = app.threads({ ...range, anchor: id, viewer: reader.viewer?.uid ?? 0 })
  const all = [...skeleton.above, ...skeleton.below]
  yield
  const { state, ids } = yield* hydrated(app, { anchor: id, ids: all }, reader)
  reader.missing.addFeed(state)
  if (id === 0 && isPostUri(uri)) reader.missing.add({ uris: [uri] })
  yield
  return { reader, skeleton, state, ids }
}

/** Parents come before their replies, so that no reply is read whose parent is not. */
function* hydrated(
  { hydrator }: Needs<'hydrator'>,
  { anchor, ids }: { anchor: number; ids: readonly number[] },
  reader: Reader,
): Generator<void, { state: ThreadState; ids: number[] }> {
  let state: ThreadState | undefined
  const read: number[] = []
  const most = reader.viewer ? MAX_CHARACTERS.member : MAX_CHARACTERS.visitor
  let characters = 0
  const add = (some: readonly number[]) => {
    const more = hydrator.thread({ anchor, ids: [...some] }, reader)
    if (state) joinThread(state, more)
    else state = more
    return some
  }
  for (const some of partsOf(ids)) {
    yield* inParts(some, add, HYDRATED)
    yield
    read.push(...some)
    for (const id of some) characters += state?.posts.get(id)?.characters ?? 0
    if (characters > most) break
  }
  return { state: state ?? hydrator.thread({ anchor, ids: [] }, reader), ids: read }
}

function partsOf(ids: readonly number[]): number[][] {
  const count = Math.ceil(ids.length / POSTS_AT_ONCE)
  const part = (_: unknown, i: number) => ids.slice(i * POSTS_AT_ONCE, (i + 1) * POSTS_AT_ONCE)
  return Array.from({ length: count }, part)
}

/** The threadgate of the anchor's thread. */
export function threadgateOf({ state, skeleton: { anchor } }: Thread) {
  return threadgateView(state, { id: state.posts.get(anchor)?.root ?? anchor })
}

const MAX_ROUNDS = 3
/**
 * Of the records in one answer: four times what a thousand ordinary posts have. Fifteen hundred as large as they
 * may be would be 150 MB.
 */
const MAX_CHARACTERS = { member: 4_000_000, visitor: 1_500_000 }
/** Of these, only as many at once as fit into a turn. */
const POSTS_AT_ONCE = 50
/** More than are presented at once: each part hydrates the anchor, too. */
const HYDRATED = { fewest: 20, most: POSTS_AT_ONCE }
/** A part for a viewer who is on ten thousand lists costs much, however few posts it has. */
const PRESENTED = { fewest: 4, most: 12 }

/**
 * @param plan - the posts to show, without those already found to be hidden
 * @returns the last plan, with each of its posts as JSON
 */
export function* presentThread<Plan>(
  app: Needs<'viewCache'>,
  thread: Thread,
  {
    plan,
    postsOf,
    showsLikers,
  }: {
    plan: (absent: Set<number>) => Plan
    postsOf: (plan: Plan) => number[]
    /** Whether the anchor shows its known likers; as in the reference, no other post does. */
    showsLikers?: boolean
  },
): Generator<void, { plan: Plan; posts: Map<number, ReadyJson | object> }> {
  const absent = new Set<number>()
  const posts: ThreadPosts = new Map()
  const budget = createAnswerBudget(thread.reader)
  for (let round = 1; ; round++) {
    const planned = plan(absent)
    const ids = postsOf(planned)
    yield
    yield* presentPosts(app, thread, { ids, posts, budget })
    const lost = ids.filter((id) => !posts.has(id))
    if (lost.length === 0 || round === MAX_ROUNDS) {
      if (showsLikers) showLikers(app, thread, posts)
      return { plan: planned, posts }
    }
    // Once the answer is full, no other post takes the place of one that is lost.
    for (const id of budget.isFull ? thread.ids : lost) if (!posts.has(id)) absent.add(id)
  }
}

type ThreadPosts = Map<number, ReadyJson | object>

/** The anchor comes first, so that the answer has room for it. */
function* presentPosts(
  { viewCache }: Needs<'viewCache'>,
  { reader, skeleton: { anchor } }: Thread,
  { ids, posts, budget }: { ids: readonly number[]; posts: ThreadPosts; budget: AnswerBudget },
): Generator<void, void> {
  const unseen = ids.filter((id) => id !== anchor && !posts.has(id))
  if (ids.includes(anchor) && !posts.has(anchor)) unseen.unshift(anchor)
  const present = (few: readonly number[]) => viewCache.posts(few, reader)
  for (let from = 0; from < unseen.length; from += POSTS_AT_ONCE) {
    const some = unseen.slice(from, from + POSTS_AT_ONCE)
    const views = yield* inParts(some, (few) => budget.present(few, present), PRESENTED)
    for (const [i, view] of views.entries()) {
      if (view) posts.set(some[i]!, view)
    }
    yield
  }
}

function showLikers(
  { viewCache }: Needs<'viewCache'>,
  { reader, skeleton: { anchor } }: Thread,
  posts: ThreadPosts,
): void {
  if (!posts.has(anchor)) return
  const [view] = viewCache.posts([anchor], reader, { knownLikers: 'all' })
  if (view) posts.set(anchor, view)
}
