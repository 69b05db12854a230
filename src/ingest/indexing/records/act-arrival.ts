// Numbers a member's like or follow that has just been stored, for the timelines `likes:` and `follows:`.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { addActArrival } from '../../../data/store/timelines/act-arrivals.ts'
import { type IndexContext, isMember, type RecordWrite } from '../index-context.ts'

type Subject = { uid: number; record?: { collection: number; rkey: PackedRkey } }

/** @param uid - the account of the write, which may have been unknown before it */
export function noteAct(ctx: IndexContext, write: RecordWrite, uid: number, about: Subject): void {
  if (!isMember(ctx, uid)) return
  const { rkey, cid, createdAt } = write
  addActArrival(ctx.db, {
    uid,
    collection: collectionCodes[write.collection],
    rkey,
    cid,
    subjectUid: about.uid,
    subjectCollection: about.record?.collection ?? null,
    subjectRkey: about.record?.rkey ?? null,
    createdAt,
  })
}
