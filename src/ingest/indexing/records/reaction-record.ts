// Stores the content of a like, repost or follow that its row does not keep: see
// data/store/records/reaction-records.ts; likewise of a block or list item (data/store/records/relation-records.ts). Nearly
// all of them have none; likes and reposts of an account's own posts are skipped, since they notify no
// account.

import { packRkey } from '../../../base/atproto/keys.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import { asObject } from '../../../base/util/json-object.ts'
import { insertReactionRecord } from '../../../data/store/records/reaction-records.ts'
import {
  putRelationRecord,
  type RelationCollection,
} from '../../../data/store/records/relation-records.ts'
import type { IndexContext, RecordWrite } from '../index-context.ts'
import { parseRecordUri } from './record-fields.ts'
import { shortJson } from './stored-json.ts'

const REPOST = 'app.bsky.feed.repost'
const USUAL_FIELDS = new Set(['$type', 'subject', 'createdAt'])
const USUAL_OF_ITEMS = new Set([...USUAL_FIELDS, 'list'])

/** @param row - the account's uid and the time, as its row stores them */
export function storeUnusual(
  ctx: IndexContext,
  write: RecordWrite,
  { uid, at }: { uid: number; at: number },
): void {
  const { collection, rkey, cid, record } = write
  const json = unusualJson(write, at, USUAL_FIELDS)
  if (!json) return
  const stored = { uid, collection, rkey, cid, record: json } as const
  insertReactionRecord(ctx.db, stored, repostOf(ctx, record['via']))
}

/** The same for a block, a list item or a list block. */
export function storeUnusualRelation(
  ctx: IndexContext,
  write: RecordWrite & { collection: RelationCollection },
  rowAt: number,
): void {
  const { uid, collection, rkey, cid } = write
  const fields = collection === 'app.bsky.graph.listitem' ? USUAL_OF_ITEMS : USUAL_FIELDS
  const record = unusualJson(write, rowAt, fields)
  if (record) putRelationRecord(ctx.db, { uid, collection, rkey, cid, record })
}

/** Returns undefined if the row has all of the record, or the record is too long to be kept. */
function unusualJson(
  write: RecordWrite,
  rowAt: number,
  fields: ReadonlySet<string>,
): Buffer | undefined {
  const { record } = write
  const isUsual =
    record['createdAt'] === isoTime(rowAt) && Object.keys(record).every((name) => fields.has(name))
  return isUsual ? undefined : shortJson(write)
}

function repostOf(ctx: IndexContext, via: unknown) {
  const ref = via === undefined ? undefined : parseRecordUri(asObject(via)?.['uri'], REPOST)
  const uid = ref ? ctx.actors.uidOf(ref.did) : 0
  return ref && uid !== 0 ? { uid, rkey: packRkey(ref.rkey) } : undefined
}
