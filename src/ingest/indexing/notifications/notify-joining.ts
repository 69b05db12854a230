// Notifies of an account that joined through a starter pack of a notified account: its profile says so, and
// is therefore kept, whoever it is. Notifies once, when the profile is first seen; as in the reference, later
// changes of it do not count. A profile without a time notifies only when it arrives on the stream, and takes
// its arrival as the time.

import { packRkey } from '../../../base/atproto/keys.ts'
import { asObject, type JsonObject } from '../../../base/util/json-object.ts'
import { type IndexContext, type RecordWrite, sortAtOf } from '../index-context.ts'
import { parseRecordUri, type RecordRef } from '../records/record-fields.ts'
import { hasNotifications, notify, PROFILE } from './notify.ts'

const STARTER_PACK = 'app.bsky.graph.starterpack'

/** Creator of the starter pack; 0 if unknown or not notified. */
export function joinedThrough(ctx: IndexContext, record: JsonObject): number {
  const pack = packOf(record)
  const uid = pack ? ctx.actors.uidOf(pack.did) : 0
  return hasNotifications(ctx, uid) ? uid : 0
}

export function notifyOfJoining(ctx: IndexContext, write: RecordWrite, member: number): void {
  const { uid, rkey, record, indexedAt, fetchedAt } = write
  const isTimed = record['createdAt'] !== undefined
  const pack = packOf(record)
  if (!pack || (!isTimed && fetchedAt !== undefined)) return
  notify(ctx, {
    to: member,
    reason: 'starterpack-joined',
    record: { author: uid, collection: PROFILE, rkey, cid: undefined, json: undefined },
    sortAt: isTimed ? sortAtOf(write) : indexedAt,
    subject: { collection: STARTER_PACK, rkey: packRkey(pack.rkey) },
  })
}

function packOf(record: JsonObject): RecordRef | undefined {
  return parseRecordUri(asObject(record['joinedViaStarterPack'])?.['uri'], STARTER_PACK)
}
