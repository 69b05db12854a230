// Records of likes, reposts, follows, blocks, list items and list blocks, whose rows hold only the needed
// fields. Returns the original record where it is stored, else rebuilds it in the usual form.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { type Collection, collectionCodes, collections } from '../../../base/atproto/collections.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import { cidOfRecord } from '../../../base/atproto/record-cid.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { blockEdges, followEdges, likeEdges } from '../../../data/store/edges/all-edges.ts'
import type { Edge } from '../../../data/store/edges/edge.ts'
import type { EdgeTable } from '../../../data/store/edges/edge-table.ts'
import {
  type KeyedRows,
  prepareKeyedRows,
  type RowKey,
  type WrittenReaction,
} from '../../../data/store/read/records/keyed-rows.ts'
import type { Reading } from '../reading/reading.ts'
import { byName, nameOf, type UriKey } from '../wire/keys.ts'
import { byPosition, type RecordInit, toRecord } from '../wire/messages.ts'

const POST = 'app.bsky.feed.post'
const LIKE = 'app.bsky.feed.like'
const REPOST = 'app.bsky.feed.repost'
const FOLLOW = 'app.bsky.graph.follow'
const BLOCK = 'app.bsky.graph.block'
const LIST = 'app.bsky.graph.list'
const LIST_ITEM = 'app.bsky.graph.listitem'
const LIST_BLOCK = 'app.bsky.graph.listblock'
const collectionNames = new Map(collections.map((name) => [collectionCodes[name] as number, name]))

type Found = Map<string, RecordInit>
type Built = JsonObject
type Ref = { uri: string; cid: string }

type Reactions = Record<
  'likes' | 'reposts' | 'follows' | 'blocks' | 'listItems' | 'listBlocks',
  (keys: readonly UriKey[]) => Found
>

export function createReactions(reading: Reading): Reactions {
  const rows = prepareKeyedRows(reading.db)
  const parts = { ...reading, rows }
  return {
    likes: (keys) => likes(parts, keys),
    reposts: (keys) => reposts(parts, keys),
    follows: (keys) => ofAccounts(parts, keys, { table: followEdges, $type: FOLLOW }),
    blocks: (keys) => ofAccounts(parts, keys, { table: blockEdges, $type: BLOCK }),
    listItems: (keys) => listItems(parts, keys),
    listBlocks: (keys) => listBlocks(parts, keys),
  }
}

type Dependencies = Pick<Reading, 'db' | 'actors'> & { rows: KeyedRows }

/** Strong references to posts, by posts.id. */
function postRefs({ actors, rows }: Dependencies, ids: readonly number[]): Map<number, Ref> {
  return new Map(rows.postRefs(ids).map((row) => [row.id, refOf(actors, row, POST)]))
}

function recordRefs({ actors, rows }: Dependencies, ids: readonly number[]): Map<number, Ref> {
  return new Map(
    rows
      .recordRefs(ids)
      .map((row) => [row.id, refOf(actors, row, collectionNames.get(row.collection)!)]),
  )
}

function refOf(
  actors: Reading['actors'],
  { uid, rkey, cid }: RowKey & { cid: Buffer },
  collection: string,
): Ref {
  return { uri: recordUri(actors.didOf(uid), collection, rkey), cid: unpackCid(cid) }
}

/** `build` returns undefined if the subject is not stored here. */
function present<Row extends RowKey>(
  { rows }: Dependencies,
  keys: readonly UriKey[],
  options: {
    found: readonly Row[]
    build: (row: Row) => Made | undefined
    written: Collection
  },
): Found {
  const { found, build, written } = options
  const byKey = byName(found)
  const asWritten = byName(rows.written(written, found))
  return byPosition(keys, (key) => {
    const row = byKey.get(nameOf(key))
    const made = row && build(row)
    return made && toWritten(made, asWritten.get(nameOf(key)))
  })
}

function toWritten({ sortAt, record, cid }: Made, original: WrittenReaction | undefined) {
  if (original) return toRecord({ json: original.record, cid: unpackCid(original.cid), sortAt })
  return toRecord({ json: JSON.stringify(record), cid: cid ?? cidOf(record), sortAt })
}

function edgesOf({ db }: Dependencies, table: EdgeTable, keys: readonly UriKey[]): Edge[] {
  return table.findAll(db, keys).filter((edge) => edge !== undefined)
}

function likes(parts: Dependencies, keys: readonly UriKey[]): Found {
  const ofPosts = edgesOf(parts, likeEdges, keys)
  const known = byName(ofPosts)
  const ofRecords = parts.rows
    .recordLikes(keys.filter((key) => !known.has(nameOf(key))))
    .map((row) => ({ ...row, sortAt: row.createdAt, isOfRecord: true }))
  const posts = postRefs(
    parts,
    ofPosts.map(({ subject }) => subject),
  )
  const records = recordRefs(
    parts,
    ofRecords.map(({ subject }) => subject),
  )
  return present<Liked>(parts, keys, {
    found: [...ofPosts, ...ofRecords],
    written: LIKE,
    build({ subject, createdAt, sortAt, isOfRecord }) {
      const ref = (isOfRecord ? records : posts).get(subject)
      return ref && { sortAt, record: { $type: LIKE, subject: ref, createdAt: iso(createdAt) } }
    },
  })
}

/** Records whose subject is an account; the sort time is the only time kept. */
function ofAccounts(
  parts: Dependencies,
  keys: readonly UriKey[],
  { table, $type }: { table: EdgeTable; $type: typeof FOLLOW | typeof BLOCK },
): Found {
  return present(parts, keys, {
    found: edgesOf(parts, table, keys),
    written: $type,
    build: ({ subject, sortAt }) => ({
      sortAt,
      record: { $type, subject: parts.actors.didOf(subject), createdAt: iso(sortAt) },
    }),
  })
}

function reposts(parts: Dependencies, keys: readonly UriKey[]): Found {
  const found = parts.rows.reposts(keys)
  const refs = postRefs(
    parts,
    found.map(({ subject }) => subject),
  )
  return present(parts, keys, {
    found,
    written: REPOST,
    build({ subject, cid, createdAt, sortAt }) {
      const ref = refs.get(subject)
      const record = ref && { $type: REPOST, subject: ref, createdAt: iso(createdAt) }
      return record && { sortAt, record, cid: unpackCid(cid) }
    },
  })
}

/** at-URIs by lists.id, of lists that are referenced but may not be stored here. */
function listUris(
  { actors, rows }: Dependencies,
  found: readonly { list: number }[],
): Map<number, string> {
  const ids = [...new Set(found.map(({ list }) => list))]
  return new Map(
    rows.lists(ids).map(({ id, uid, rkey }) => [id, recordUri(actors.didOf(uid), LIST, rkey)]),
  )
}

function listItems(parts: Dependencies, keys: readonly UriKey[]): Found {
  const found = parts.rows.listItems(keys)
  const uris = listUris(parts, found)
  return present(parts, keys, {
    found,
    written: LIST_ITEM,
    build({ list, subject: uid, sortAt }) {
      const [uri, subject] = [uris.get(list), parts.actors.didOf(uid)]
      const record = uri && { $type: LIST_ITEM, subject, list: uri, createdAt: iso(sortAt) }
      return record ? { sortAt, record } : undefined
    },
  })
}

function listBlocks(parts: Dependencies, keys: readonly UriKey[]): Found {
  const found = parts.rows.listBlocks(keys)
  const uris = listUris(parts, found)
  return present(parts, keys, {
    found,
    written: LIST_BLOCK,
    build({ list, sortAt }) {
      const subject = uris.get(list)
      const record = subject && { $type: LIST_BLOCK, subject, createdAt: iso(sortAt) }
      return record ? { sortAt, record } : undefined
    },
  })
}

type Liked = RowKey & {
  subject: number
  createdAt: number
  sortAt: number
  isOfRecord?: boolean
}
type Made = { sortAt: number; record: Built; cid?: string }

function cidOf(record: Built): string {
  return cidOfRecord(record)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
