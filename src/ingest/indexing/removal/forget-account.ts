// What is noted about an account besides its records: its names, queued fetches, and an open gap. It goes once
// a deleted account's records are gone; the account's row stays, since uids are never reused. A replay goes on
// for it: where the deletion came from the replay's past, the account's return may follow in it.

import { dropReads, forgetNames } from '../../../data/store/removal/drop-rows.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { closeAccountGap } from '../../../data/store/stream/gap-repair.ts'
import type { IndexContext } from '../index-context.ts'

export function forgetAccount(ctx: IndexContext, uid: number): void {
  const { db } = ctx
  forgetNames(db, uid)
  dropReads(db, uid)
  closeAccountGap(db, uid, { how: 'account deleted', now: ctx.now })
  ctx.knownPeople.delete(uid)
  // Its empty rows go too, unless others refer to them.
  putGcCandidate(db, GC.account, uid)
}
