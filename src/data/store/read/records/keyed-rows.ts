// Rows of records that are just a key and a subject, found by those keys, many at a time: reposts, list
// items, list blocks, likes of records other than posts; also the records that contain more than their rows.

import { type Collection, collectionCodes } from '../../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../../base/atproto/keys.ts'
import { relationCollections } from '../../records/relation-records.ts'
import type { Db } from '../id-list.ts'
import { keyColumn, keyJson } from '../key-list.ts'

export type RowKey = { uid: number; rkey: PackedRkey }

/** Times in milliseconds. */
type KeyedRepost = RowKey & {
  subject: number
  cid: Buffer
  createdAt: number
  sortAt: number
}
type KeyedListItem = RowKey & { list: number; subject: number; sortAt: number }
type KeyedListBlock = RowKey & { list: number; sortAt: number }
type KeyedRecordLike = RowKey & { subject: number; createdAt: number }
export type WrittenReaction = RowKey & { cid: Buffer; record: string }

export type KeyedRows = {
  reposts(keys: readonly RowKey[]): KeyedRepost[]
  listItems(keys: readonly RowKey[]): KeyedListItem[]
  listBlocks(keys: readonly RowKey[]): KeyedListBlock[]
  recordLikes(keys: readonly RowKey[]): KeyedRecordLike[]
  /**
   * Records that differ from what their rows describe, as written; for likes, reposts and follows
   * only the newest are kept.
   */
  written(collection: Collection, keys: readonly RowKey[]): WrittenReaction[]
  /** Lists by lists.id, with or without their record. */
  lists(ids: readonly number[]): (RowKey & { id: number })[]
  /** Targets of strong references: present posts by posts.id, and stored records by records.id. */
  postRefs(ids: readonly number[]): (RowKey & { id: number; cid: Buffer })[]
  recordRefs(ids: readonly number[]): (RowKey & { id: number; cid: Buffer; collection: number })[]
}

const KEYS = 'FROM json_each(?) k CROSS JOIN'
const SAME_KEY = `t.uid = k.value ->> 0 AND t.rkey = ${keyColumn('k.value', 1)}`

export function prepareKeyedRows(db: Db): KeyedRows {
  function byKey<Row>(table: string, columns: string) {
    const select = db.prepare<[string], Row>(
      `SELECT t.uid, t.rkey, ${columns} ${KEYS} ${table} t ON ${SAME_KEY}`,
    )
    return (keys: readonly RowKey[]) => select.all(listed(keys))
  }
  const writtenIn = (table: string) =>
    db.prepare<[string, number], WrittenReaction>(
      `SELECT t.uid, t.rkey, t.cid, CAST(t.record AS TEXT) AS record
        ${KEYS} ${table} t ON ${SAME_KEY} AND t.collection = ?`,
    )
  const reactions = writtenIn('reaction_records')
  const relations = writtenIn('relation_records')
  const lists = db.prepare<[string], RowKey & { id: number }>(
    `SELECT t.id, t.uid, t.rkey ${KEYS} lists t ON t.id = k.value`,
  )
  const postRefs = db.prepare<[string], RowKey & { id: number; cid: Buffer }>(
    `SELECT t.id, t.uid, t.rkey, t.cid ${KEYS} posts t ON t.id = k.value AND t.cid IS NOT NULL`,
  )
  type Ref = RowKey & { id: number; cid: Buffer; collection: number }
  const recordRefs = db.prepare<[string], Ref>(
    `SELECT t.id, t.uid, t.rkey, t.cid, t.collection
      ${KEYS} records t ON t.id = k.value AND t.cid IS NOT NULL`,
  )
  return {
    reposts: byKey('reposts', 't.subject, t.cid, t.created_at AS createdAt, t.sort_at AS sortAt'),
    listItems: byKey('list_items', 't.list, t.subject, t.sort_at AS sortAt'),
    listBlocks: byKey('list_blocks', 't.list, t.sort_at AS sortAt'),
    recordLikes: byKey('record_likes', 't.subject, t.created_at AS createdAt'),
    written(collection, keys) {
      const select = relationCollections.has(collection) ? relations : reactions
      return select.all(listed(keys), collectionCodes[collection])
    },
    lists: (ids) => lists.all(JSON.stringify(ids)),
    postRefs: (ids) => postRefs.all(JSON.stringify(ids)),
    recordRefs: (ids) => recordRefs.all(JSON.stringify(ids)),
  }
}

function listed(keys: readonly RowKey[]): string {
  return JSON.stringify(keys.map(({ uid, rkey }) => [uid, ...keyJson(rkey)]))
}
