// GetPostRecords, threads and counts. Of a post a row of small scalars is read each time; its record is
// kept ready as a message for as long as the row's version stays.

import { create } from '@bufbuild/protobuf'
import { KeptRows } from '../../answers/hydrate/cached-rows.ts'
import { opThread } from '../../answers/skeleton/op-thread.ts'
import { createThreads } from '../../answers/skeleton/thread.ts'
import { unpackCid } from '../../base/atproto/keys.ts'
import {
  HAS_MEDIA,
  HAS_POSTGATE,
  HAS_THREADGATE,
  HAS_VIDEO,
  VIOLATES_POSTGATE,
  VIOLATES_THREADGATE,
} from '../../data/store/post-flags.ts'
import { PRESENT } from '../../data/store/posts.ts'
import type { PostKeyRow, PostRow } from '../../data/store/read/posts.ts'
import { prepareThreads } from '../../data/store/read/threads.ts'
import { recordText } from '../../data/store/record-bytes.ts'
import { type Record, RecordSchema } from './generated/bsky-pb.ts'
import { bounded, NO_RECORD, type Rpcs, toRecord } from './messages.ts'
import { createHidden } from './moderation.ts'
import type { Reading } from './reading.ts'
import { recordRows } from './records.ts'

const MAX_KEPT_BYTES = 24 << 20
const MESSAGE_BYTES = 600
/** Of one thread, each way; the frontend's own bounds are below. */
const MAX_DEPTH = 1_000
const NO_META = {}

const isPresent = ({ state }: PostKeyRow) => state === PRESENT

type Kept = KeptRows<[version: string], Record>
type PostRefs = readonly { uri: string }[]

export function postRpcs(reading: Reading): Rpcs {
  const kept: Kept = new KeptRows(MAX_KEPT_BYTES)
  const hidden = createHidden(reading.db)
  const threads = createThreads(reading.db)
  const threadRows = prepareThreads(reading.db)
  return {
    getPostRecords({ uris, includeOpThreadMetadata }) {
      const posts = reading.postsByUri(bounded(uris))
      const ids = [...posts.values()].filter(({ is }) => is === 'present').map(({ id }) => id)
      const rows = new Map(reading.posts.rows(ids).map((row) => [row[0], row]))
      const records = readRecords(reading, kept, [...rows.values()])
      const idOf = (uri: string) => posts.get(uri)?.id ?? 0
      return {
        records: hidden.marked(
          uris,
          uris.map((uri) => records.get(idOf(uri)) ?? NO_RECORD),
        ),
        meta: uris.map((uri) => metaOf(rows.get(idOf(uri)))),
        opThreads: includeOpThreadMetadata ? opThreads(reading, threadRows, rows.values()) : [],
      }
    },

    getThread({ postUri, above, below }) {
      const anchor = reading.postsByUri([postUri]).get(postUri)
      if (anchor?.is !== 'present') return {}
      const found = threads({
        anchor: anchor.id,
        viewer: 0,
        above: Math.min(Math.max(above, 0), MAX_DEPTH),
        below: Math.min(Math.max(below, 0), MAX_DEPTH),
        order: 'top',
      })
      const ids = [found.anchor, ...found.above, ...newestFirst(reading, found.below)]
      const uris = reading.postUris(new Set([...ids, ...(found.opThread ?? [])]), isPresent)
      const named = (some: readonly number[]) => some.flatMap((id) => uris.get(id) ?? [])
      return { uris: named(ids), opThread: found.opThread ? named(found.opThread) : [] }
    },

    getInteractionCounts: ({ refs }) => interactionCounts(reading, bounded(refs)),

    getThreadMutesOnSubjects({ actorDid, threadRoots }) {
      const roots = reading.postsByUri(bounded(threadRoots))
      const ids = [...roots.values()].map(({ id }) => id)
      const uid = reading.actors.uidOf(actorDid)
      const muted = new Set(uid === 0 ? [] : reading.deeds.threadMutes(uid, ids))
      return { muted: threadRoots.map((uri) => muted.has(roots.get(uri)?.id ?? 0)) }
    },
  }
}

/** As the reference gives replies; the frontend shows some of them in this order. */
function newestFirst({ posts }: Reading, ids: readonly number[]): number[] {
  const times = new Map(posts.rows(ids).map((row) => [row[0], row[4] ?? 0]))
  return ids.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0))
}

/** By posts.id. */
function readRecords(
  { posts }: Reading,
  kept: Kept,
  rows: readonly PostRow[],
): Map<number, Record> {
  const records = new Map<number, Record>()
  const unread = new Map<number, PostRow>()
  for (const row of rows) {
    const [id, , , version] = row
    const found = kept.find(id)
    if (found?.row[0] === version) records.set(id, found.value)
    else unread.set(id, row)
  }
  if (unread.size === 0) return records
  for (const [id, , cid, stored, createdAt, indexedAt] of posts.texts(unread.keys())) {
    const [, , state, version, sortAt] = unread.get(id)!
    const json = recordText(stored)
    if (state !== PRESENT || sortAt === null || !cid || json === null) continue
    const facts = toRecord({ json, cid: unpackCid(cid), sortAt, createdAt, indexedAt })
    const record = create(RecordSchema, facts)
    kept.keep(id, [version], record, record.record.length + MESSAGE_BYTES)
    records.set(id, record)
  }
  return records
}

function metaOf(row: PostRow | undefined) {
  if (!row) return NO_META
  const [, , , , , , parent, , flags] = row
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
  rows: Iterable<PostRow>,
) {
  const roots = new Set(Array.from(rows, ([id, , , , , root]) => root ?? id))
  const lines = [...roots].flatMap((root) => {
    const line = opThread(root, reader.opReplies(root))
    return line ? [line] : []
  })
  const uris = reading.postUris(new Set(lines.flat()))
  return lines.map((line) => ({
    rootUri: uris.get(line[0]!) ?? '',
    uris: line.flatMap((id) => uris.get(id) ?? []),
  }))
}

/** Of posts; of feed generators, labelers and the like the likes alone. */
function interactionCounts(reading: Reading, refs: PostRefs) {
  const uris = refs.map(({ uri }) => uri)
  const posts = reading.postsByUri(uris)
  const ids = new Set([...posts.values()].map(({ id }) => id))
  const counts = new Map(reading.posts.counts(ids).map((row) => [row[0], row]))
  const others = recordRows(
    reading,
    uris.filter((uri) => !posts.has(uri)),
  )
  const column = (i: 1 | 2 | 3 | 4 | 5) =>
    uris.map((uri) => counts.get(posts.get(uri)?.id ?? 0)?.[i] ?? 0)
  return {
    likes: column(1).map((count, i) => others.get(uris[i]!)?.likes ?? count),
    reposts: column(2),
    replies: column(3),
    quotes: column(4),
    bookmarks: column(5),
  }
}
