// GetPostRecords, threads and counts. Records are cached as encoded in answers (memory.ts).

import { opThread } from '../../../answers/skeleton/op-thread.ts'
import { createThreads } from '../../../answers/skeleton/thread.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import {
  HAS_MEDIA,
  HAS_POSTGATE,
  HAS_THREADGATE,
  HAS_VIDEO,
  VIOLATES_POSTGATE,
  VIOLATES_THREADGATE,
} from '../../../data/store/posts/post-flags.ts'
import { PRESENT } from '../../../data/store/posts/posts.ts'
import { recordText } from '../../../data/store/posts/record-bytes.ts'
import type { PostRow, PostTextRow } from '../../../data/store/read/posts/posts.ts'
import { prepareThreads } from '../../../data/store/read/posts/threads.ts'
import { OpThreadSchema, PostRecordMetaSchema, RecordSchema } from '../generated/bsky-pb.ts'
import type { EncodedPost, NamedPost } from '../reading/memory.ts'
import { idsOf } from '../reading/names.ts'
import type { Reading } from '../reading/reading.ts'
import { recalledByPosition } from '../reading/recent.ts'
import { answerOf, type EncodedRpcs, encode, NO_FIELDS, packed } from '../wire/encoded.ts'
import { bounded, NO_RECORD, type Rpcs, toRecord } from '../wire/messages.ts'
import { createHidden } from './moderation.ts'
import { recordRows } from './records.ts'

/** Maximum depth of a thread in each direction; the frontend's own limits are lower. */
const MAX_DEPTH = 1_000
const NO_RECORD_BYTES = encode(RecordSchema, NO_RECORD)

const isPresent = ({ is }: NamedPost) => is === 'present'

type PostRefs = readonly { uri: string }[]

/** Calls about many posts at once, with encoded answers. */
export function postRecordRpcs(reading: Reading): EncodedRpcs {
  const hidden = createHidden(reading)
  const threadRows = prepareThreads(reading.db)
  return {
    getPostRecords({ uris, includeOpThreadMetadata }) {
      const posts = reading.postsOf(bounded(uris))
      const found = encodedPosts(
        reading,
        posts.map((post) => (post && isPresent(post) ? post.id : 0)),
      )
      const records = found.map((post) => post?.record ?? NO_RECORD_BYTES)
      const threads = includeOpThreadMetadata
        ? opThreads(
            reading,
            threadRows,
            found.filter((post) => post !== undefined),
          )
        : []
      return answerOf({
        1: hidden.taggedBytes(uris, hidden.markedBytes(uris, records)),
        2: found.map((post) => post?.meta ?? NO_FIELDS),
        3: threads.map((thread) => encode(OpThreadSchema, thread)),
      })
    },

    getInteractionCounts: ({ refs }) => interactionCounts(reading, bounded(refs)),

    getThreadMutesOnSubjects({ actorDid, threadRoots }) {
      const uid = reading.actors.uidOf(actorDid)
      if (uid === 0) return answerOf({ 1: packed(threadRoots.map(() => 0)) })
      const ids = idsOf(reading.postsOf(bounded(threadRoots)))
      const muted = reading.memory.viewers.about(uid, ids, {
        of: ({ threadMutes }) => threadMutes,
        read: (unknown) =>
          reading.postViewers.threadMutes(uid, unknown).map((id) => [id, true] as const),
        none: false,
      })
      return answerOf({ 1: packed(ids.map((id) => Number(muted.get(id)))) })
    },
  }
}

export function postRpcs(reading: Reading): Rpcs {
  const threads = createThreads(reading.db)
  return {
    getThread({ postUri, above, below }) {
      const anchor = reading.postsByUri([postUri]).get(postUri)
      if (!anchor) return {}
      const found = threads({
        anchor: anchor.id,
        viewer: 0,
        above: isPresent(anchor) ? Math.min(Math.max(above, 0), MAX_DEPTH) : 0,
        below: Math.min(Math.max(below, 0), MAX_DEPTH),
        order: 'top',
      })
      const ids = [found.anchor, ...found.above, ...newestFirst(reading, found.below)]
      const present = reading.postUris(new Set(ids), isPresent)
      // A deleted post keeps its place in the owner's chain, as long as any is left below it.
      const ofOwner = reading.postUris(new Set(found.opThread))
      return {
        uris: ids.flatMap((id) => present.get(id) ?? []),
        opThread: (found.opThread ?? []).flatMap((id) => ofOwner.get(id) ?? []),
      }
    },
  }
}

/** The reference's order of replies; the frontend shows some replies in this order. */
function newestFirst({ posts }: Reading, ids: readonly number[]): number[] {
  const times = new Map(posts.rows(ids).map((row) => [row[0], row[4] ?? 0]))
  return ids.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0))
}

/** In the order of `ids`; 0 is an unknown post. */
function encodedPosts(
  { memory, posts }: Reading,
  ids: readonly number[],
): (EncodedPost | undefined)[] {
  const known = ids.includes(0) ? ids.filter((id) => id !== 0) : ids
  const found = recalledByPosition(known, { cached: (id) => memory.posts.get(id), read: readPosts })
  if (known === ids) return found
  let at = 0
  return ids.map((id) => (id === 0 ? undefined : found[at++]))

  function readPosts(unknown: number[]): [number, EncodedPost][] {
    const texts = new Map(posts.texts(unknown).map((text) => [text[0], text]))
    return posts.rows(unknown).map((row) => {
      const [id, , , , , root] = row
      const record = recordOf(row, texts.get(id))
      const post = { record, meta: encode(PostRecordMetaSchema, metaOf(row)), root: root ?? id }
      memory.posts.set(id, post)
      return [id, post]
    })
  }
}

function recordOf([, , state, , sortAt]: PostRow, text: PostTextRow | undefined): Uint8Array {
  const [, , cid, stored, createdAt, indexedAt] = text ?? []
  const json = stored === undefined ? null : recordText(stored)
  if (state !== PRESENT || sortAt === null || !cid || json === null) return NO_RECORD_BYTES
  const facts = toRecord({ json, cid: unpackCid(cid), sortAt, createdAt, indexedAt })
  return encode(RecordSchema, facts)
}

function metaOf([, , , , , , parent, , flags]: PostRow) {
  const has = (bit: number) => (flags & bit) !== 0
  return {
    violatesThreadGate: has(VIOLATES_THREADGATE),
    violatesEmbeddingRules: has(VIOLATES_POSTGATE),
    hasThreadGate: has(HAS_THREADGATE),
    hasPostGate: has(HAS_POSTGATE),
    hasMedia: has(HAS_MEDIA),
    hasVideo: has(HAS_VIDEO),
    isReply: parent !== null,
  }
}

function opThreads(
  reading: Reading,
  reader: ReturnType<typeof prepareThreads>,
  posts: Iterable<EncodedPost>,
) {
  const roots = new Set(Array.from(posts, ({ root }) => root))
  const lines = Array.from(reader.opRepliesOfEach(roots), ([root, replies]) =>
    opThread(root, replies),
  ).filter((line) => line !== undefined)
  const uris = reading.postUris(new Set(lines.flat()))
  return lines.map((line) => ({
    rootUri: uris.get(line[0]!) ?? '',
    uris: line.flatMap((id) => uris.get(id) ?? []),
  }))
}

/** Counts for posts; for feed generators, labelers and the like only the likes. */
function interactionCounts(reading: Reading, refs: PostRefs): Uint8Array {
  const uris = refs.map(({ uri }) => uri)
  const ids = idsOf(reading.postsOf(uris))
  const counts = reading.postCounts(ids)
  const others = recordRows(
    reading,
    uris.filter((_, i) => ids[i] === 0),
  )
  const column = (i: 1 | 2 | 3 | 4 | 5) => packed(counts.map((row) => row?.[i] ?? 0))
  const likes = counts.map((row, i) => others.get(uris[i]!)?.likes ?? row?.[1] ?? 0)
  return answerOf({ 1: packed(likes), 2: column(2), 3: column(3), 4: column(4), 5: column(5) })
}
