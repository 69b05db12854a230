// What a like, repost or follow says beyond what its row keeps: see data/store/reaction-records.ts. Of nearly all
// of them nothing; and nothing of what somebody does to their own, which tells nobody.

import { packRkey } from '../../base/atproto/keys.ts'
import { asObject } from '../../base/util/json-object.ts'
import { insertReactionRecord } from '../../data/store/reaction-records.ts'
import { type IndexContext, type RecordWrite, recordJson } from './index-context.ts'
import { parseRecordUri } from './record-keys.ts'

const REPOST = 'app.bsky.feed.repost'
const USUAL_FIELDS = new Set(['$type', 'subject', 'createdAt'])

/** @param write - applied, with the account's uid. @param rowAt - the time that its row keeps */
export function keepUnusual(ctx: IndexContext, write: RecordWrite, rowAt: number): void {
  const { uid, collection, rkey, cid, record } = write
  const isUsual =
    record['createdAt'] === new Date(rowAt).toISOString() &&
    Object.keys(record).every((name) => USUAL_FIELDS.has(name))
  if (isUsual) return
  const kept = { uid, collection, rkey, cid, record: recordJson(write) } as const
  insertReactionRecord(ctx.db, kept, repostOf(ctx, record['via']))
}

function repostOf(ctx: IndexContext, via: unknown) {
  const ref = via === undefined ? undefined : parseRecordUri(asObject(via)?.['uri'], REPOST)
  const uid = ref ? ctx.actors.uidOf(ref.did) : 0
  return ref && uid !== 0 ? { uid, rkey: packRkey(ref.rkey) } : undefined
}
