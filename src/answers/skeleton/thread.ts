// The ids of a thread around one post: the posts above it, the replies below it, layer by layer, and the
// owner's chain. Ordinary threads are read to the requested depth, one statement per layer; views order and
// cut them, as in the reference. But a thread may have a hundred thousand replies. If a post has too many,
// only some are read: the first or last ones or the most liked of the last ones, and always those by the
// owner and the viewer. Reading stops at a limit on posts.

import type { Db } from '../../data/store/db.ts'
import {
  prepareThreads,
  type ReplyRow,
  type ThreadReader,
} from '../../data/store/read/posts/threads.ts'
import { opThread } from './op-thread.ts'

export type ThreadOrder = 'newest' | 'oldest' | 'top'

export type ThreadRequest = {
  /** posts.id */
  anchor: number
  viewer: number
  above: number
  below: number
  /** Which replies are preferred. */
  order: ThreadOrder
}

export type ThreadSkeleton = {
  anchor: number
  /** Parent first. */
  above: number[]
  below: number[]
  /** posts.id from the root down; undefined if the owner did not continue the thread. */
  opThread: number[] | undefined
}

/** Limit of posts in one answer. */
const MAX_POSTS = 1_500
/** Limit of the anchor's direct replies: clients show all of them. */
const MAX_DIRECT = 1_000
/** Twice what a client may request, since some are not shown. */
const MAX_PER_POST = 200
/** The most liked replies are chosen among this many of the last ones. */
const TOP_CANDIDATES = 5_000

export function createThreads(db: Db) {
  const reader = prepareThreads(db)
  return (request: ThreadRequest): ThreadSkeleton => {
    const { anchor, above } = request
    const root = reader.rootOf(anchor)
    return {
      anchor,
      above: above > 0 ? reader.above(anchor, above) : [],
      below: readBelow(reader, { ...request, root }),
      opThread: opThread(root, reader.opReplies(root)),
    }
  }
}

type Reading = ThreadRequest & { root: number }
type Parent = { id: number; replies: number }

function readBelow(reader: ThreadReader, request: Reading): number[] {
  const { anchor, below } = request
  const found = new Set<number>()
  let parents: Parent[] = [{ id: anchor, replies: reader.replyCount(anchor) }]
  for (let depth = 1; depth <= below && parents.length > 0; depth++) {
    const most = depth === 1 ? MAX_DIRECT : MAX_PER_POST
    const layer: Parent[] = []
    for (const [id, , , , , replies] of readLayer(reader, request, { parents, most })) {
      // Records may refer to each other in a cycle.
      if (found.size >= MAX_POSTS || found.has(id) || id === anchor) continue
      found.add(id)
      layer.push({ id, replies })
    }
    parents = layer
  }
  return [...found]
}

function* readLayer(
  reader: ThreadReader,
  request: Reading,
  { parents, most }: { parents: Parent[]; most: number },
): Generator<ReplyRow> {
  const few = parents.filter(({ replies }) => replies <= most).map(({ id }) => id)
  if (few.length > 0) yield* reader.replies(few, MAX_POSTS)
  let read = 0
  for (const { id, replies } of parents) {
    if (replies <= most || read >= MAX_POSTS) continue
    const part = readPart(reader, request, { parent: id, most })
    read += part.length
    yield* part
  }
}

function readPart(
  reader: ThreadReader,
  { order, root, viewer }: Reading,
  { parent, most }: { parent: number; most: number },
): ReplyRow[] {
  const always = [...reader.opRepliesTo(root, parent), ...reader.repliesBy(viewer, parent)]
  if (order === 'oldest') return [...always, ...reader.someReplies(parent, 'first', most)]
  if (order === 'newest') return [...always, ...reader.someReplies(parent, 'last', most)]
  const last = reader.someReplies(parent, 'last', TOP_CANDIDATES)
  const byLikes = last.sort(([, , , , likes], [, , , , others]) => others - likes)
  return [...always, ...byLikes.slice(0, most)]
}
