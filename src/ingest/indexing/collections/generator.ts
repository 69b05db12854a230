// app.bsky.feed.generator. A like of a feed generator, labeler or starter pack is kept if that record is
// stored, or as long as an author likes it too; the sweep here covers all of these.

import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { dropRecord, recordLikers, recordLikesBy } from '../../../data/store/removal/unneeded.ts'
import { isAuthor } from '../index-context.ts'
import { goesOnAfter, keyAfter, PAGE, type Step } from '../retention/step.ts'
import type { CollectionRules } from './collection-rules.ts'
import { removeRecordLike } from './record-like.ts'
import { smallRecord } from './small-records.ts'

const sweepRecordLikes: Step = (ctx, uid, reached) => {
  const page = recordLikesBy(ctx.db, uid, { after: keyAfter(reached), limit: PAGE })
  for (const { rkey, subject, owner, isHere } of page) {
    putGcCandidate(ctx.db, GC.account, owner)
    if (isHere) continue
    const likers = recordLikers(ctx.db, subject)
    if (likers.some((liker) => isAuthor(ctx, liker))) continue
    removeRecordLike(ctx, { uid, rkey })
    if (recordLikers(ctx.db, subject).length === 0) dropRecord(ctx.db, subject)
  }
  return goesOnAfter(page, ({ rkey }) => rkey)
}

export const generator: CollectionRules = {
  ...smallRecord('app.bsky.feed.generator'),
  release: [sweepRecordLikes],
}
