// GetXRecords: records by at-URI, in the order of the request. Records stored as received are returned as
// received. A record whose row holds only the needed fields is rebuilt in the usual form, which for nearly
// all clients equals the original and has its CID.

import type { RecordCollection } from '../../../base/atproto/collections.ts'
import { collectionCodes, recordCollections } from '../../../base/atproto/collections.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import type { RecordRow } from '../../../data/store/read/records/records.ts'
import { RecordSchema } from '../generated/bsky-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { answerOf, type EncodedRpcs, encode } from '../wire/encoded.ts'
import { byName, keysOf, nameOf, type UriKey } from '../wire/keys.ts'
import {
  bounded,
  byPosition,
  NO_RECORD,
  type RecordInit,
  type Rpcs,
  toRecord,
} from '../wire/messages.ts'
import { createHidden } from './moderation.ts'
import { createReactions } from './reactions.ts'

type Find = (keys: readonly UriKey[]) => ReadonlyMap<string, RecordInit>
type Request = { uris: string[] }

export function recordRpcs(reading: Reading): Rpcs {
  const hidden = createHidden(reading)
  const reactions = createReactions(reading)
  const of = (collection: string, find: Find) => (request: Request) => ({
    records: hidden.marked(request.uris, recordsOf(reading, { ...request, collection, find })),
  })
  const held = (collection: RecordCollection) =>
    of(collection, (keys) => heldRecords(reading, collection, keys))
  return {
    getProfileRecords: of('app.bsky.actor.profile', (keys) => profiles(reading, keys)),
    getListRecords: of('app.bsky.graph.list', (keys) => lists(reading, keys)),
    getThreadGateRecords: of('app.bsky.feed.threadgate', (keys) =>
      gates(reading, keys, reading.gates.threadgates),
    ),
    getPostgateRecords: of('app.bsky.feed.postgate', (keys) =>
      gates(reading, keys, reading.gates.postgates),
    ),
    getFeedGeneratorRecords: held('app.bsky.feed.generator'),
    getStarterPackRecords: held('app.bsky.graph.starterpack'),
    getLabelerRecords: held('app.bsky.labeler.service'),
    getStatusRecords: held('app.bsky.actor.status'),
    getVerificationRecords: held('app.bsky.graph.verification'),
    getNotificationDeclarationRecords: held('app.bsky.notification.declaration'),
    getActorChatDeclarationRecords: held('chat.bsky.actor.declaration'),
    getGermDeclarationRecords: held('com.germnetwork.declaration'),
    getLikeRecords: of('app.bsky.feed.like', reactions.likes),
    getFollowRecords: of('app.bsky.graph.follow', reactions.follows),
    getBlockRecords: of('app.bsky.graph.block', reactions.blocks),
    getListItemRecords: of('app.bsky.graph.listitem', reactions.listItems),
    getListBlockRecords: of('app.bsky.graph.listblock', reactions.listBlocks),
  }
}

/** GetRepostRecords, with encoded answers. */
export function repostRecordRpcs(reading: Reading): EncodedRpcs {
  const { memory } = reading
  const hidden = createHidden(reading)
  const { reposts: find } = createReactions(reading)
  const cached = (uri: string) => {
    const [encoded, sources] = [memory.repostRecords.get(uri), memory.sourcesOf(uri)]
    const isSame = encoded?.repost === sources?.repost && encoded?.subject === sources?.subject
    return isSame ? encoded?.record : undefined
  }
  return {
    getRepostRecords({ uris }) {
      const found = new Map(bounded(uris).map((uri) => [uri, cached(uri)]))
      const unknown = uris.filter((uri) => !found.get(uri))
      const read = recordsOf(reading, { uris: unknown, collection: REPOST, find })
      for (const [i, uri] of unknown.entries()) {
        const record = encode(RecordSchema, read[i]!)
        found.set(uri, record)
        const sources = memory.sourcesOf(uri)
        if (sources) memory.repostRecords.set(uri, { ...sources, record })
      }
      return answerOf({
        1: hidden.markedBytes(
          uris,
          uris.map((uri) => found.get(uri)!),
        ),
      })
    },
  }
}

const REPOST = 'app.bsky.feed.repost'

function recordsOf(
  { actors }: Reading,
  { uris, collection, find }: Request & { collection: string; find: Find },
): RecordInit[] {
  const keys = keysOf(actors, bounded(uris), collection)
  const found = keys.length > 0 ? find(keys) : undefined
  return uris.map((uri) => found?.get(uri) ?? NO_RECORD)
}

function profiles({ profiles }: Reading, keys: readonly UriKey[]): Map<string, RecordInit> {
  const own = keys.filter(({ rkey }) => rkey === 'self')
  const found = profileRecords(
    profiles,
    own.map(({ uid }) => uid),
  )
  return new Map(own.flatMap(({ uri, uid }) => (found.has(uid) ? [[uri, found.get(uid)!]] : [])))
}

/** By uid. */
export function profileRecords(
  reader: Reading['profiles'],
  uids: readonly number[],
): Map<number, RecordInit> {
  const times = new Map(reader.rows(uids).map((row) => [row[0], row]))
  return new Map(
    reader.profiles(uids).map(([uid, cid, json]) => {
      const [, , , , , , , , createdAt = null, indexedAt = null] = times.get(uid) ?? []
      const sortAt = Math.min(createdAt ?? Infinity, indexedAt ?? Infinity)
      return [uid, toRecord({ json, cid: unpackCid(cid), createdAt, indexedAt, sortAt })]
    }),
  )
}

function lists({ packs, lists }: Reading, keys: readonly UriKey[]): Map<string, RecordInit> {
  const ids = packs.listsByKey(keys).map(({ id }) => id)
  const rows = byName(lists.byId(ids, 0))
  return byPosition(keys, (key) => {
    const row = rows.get(nameOf(key))
    return row && toRecord({ json: row.record, cid: unpackCid(row.cid), sortAt: row.sortAt })
  })
}

/** A gate has the rkey of its post. */
function gates(
  { postsByUri }: Reading,
  keys: readonly UriKey[],
  read: Reading['gates']['threadgates'],
): Map<string, RecordInit> {
  const postOf = ({ uri }: UriKey) => uri.replace(GATE_PATH, POST_PATH)
  const posts = postsByUri(keys.map(postOf))
  const rows = new Map(read([...posts.values()].map(({ id }) => id)).map((row) => [row.post, row]))
  return byPosition(keys, (key) => {
    const row = rows.get(posts.get(postOf(key))?.id ?? 0)
    return row && toRecord({ json: row.record, cid: unpackCid(row.cid), sortAt: createdAt(row) })
  })
}

const POST_PATH = '/app.bsky.feed.post/'
const GATE_PATH = /\/app\.bsky\.feed\.(?:postgate|threadgate)\//

/** The record's own time, not later than now, as the row holds none; 0 if that is invalid. */
function createdAt({ record }: { record: string }): number {
  const reported: unknown = JSON.parse(record)?.createdAt
  const ms = typeof reported === 'string' ? Date.parse(reported) : NaN
  return Number.isNaN(ms) ? 0 : Math.min(ms, Date.now())
}

function heldRecords(
  { records }: Reading,
  collection: RecordCollection,
  keys: readonly UriKey[],
): Map<string, RecordInit> {
  const code = collectionCodes[collection]
  const rows = byName(records.byKey(keys.map((key) => ({ ...key, collection: code }))))
  return byPosition(keys, (key) => {
    const row = rows.get(nameOf(key))
    return row && toRecord({ json: row.record, cid: unpackCid(row.cid), sortAt: row.sortAt })
  })
}

/**
 * Rows of the records table (feed generators, labelers and others), by at-URI, from any collection.
 */
export function recordRows(
  { actors, records }: Reading,
  uris: readonly string[],
): Map<string, RecordRow> {
  const names = new Set(uris.map((uri) => uri.split('/', 4)[3] ?? ''))
  const found = new Map<string, RecordRow>()
  for (const name of recordCollections.filter((recordCollection) => names.has(recordCollection))) {
    const collection = collectionCodes[name]
    const keys = keysOf(actors, uris, name)
    const rows = byName(records.byKey(keys.map((key) => ({ ...key, collection }))))
    for (const key of keys) {
      const row = rows.get(nameOf(key))
      if (row) found.set(key.uri, row)
    }
  }
  return found
}
