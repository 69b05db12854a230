// Articles and publications of standard.site. They may be long, and only link cards show them, so a record is stored
// only if a post here names just this version of it. A later version does not replace it: a card shows what its post
// names, and nothing once the record is deleted.

import { type AssociatedCollection, collectionCodes } from '../../../base/atproto/collections.ts'
import { keysOfAssociated } from '../../../data/store/fetching/stored-keys.ts'
import {
  associatedHere,
  emptyAssociated,
  fillAssociated,
  findAssociated,
  versionsOf,
} from '../../../data/store/records/associated-records.ts'
import { recordJson } from '../index-context.ts'
import { isOutdated, laterRev } from '../lateness.ts'
import { cardContent } from '../records/card-content.ts'
import { type CollectionRules, isOfNobodyKnown, isUnreadStrangers } from './collection-rules.ts'

export function associatedRecord(name: AssociatedCollection): CollectionRules {
  const collection = collectionCodes[name]
  return {
    put(ctx, write) {
      const { uid, rkey, cid, rev } = write
      const row = uid === 0 ? undefined : findAssociated(ctx.db, { uid, collection, rkey, cid })
      if (!row) return 'out-of-scope'
      if (row.isHere) return 'duplicate'
      if (isOutdated(row, { rev })) return 'late'
      fillAssociated(ctx.db, row.id, {
        rev: rev === undefined ? row.rev : laterRev(rev, row.rev),
        record: recordJson(write),
        card: JSON.stringify(cardContent(name, write.record)),
      })
      return 'applied'
    },
    remove(ctx, { uid, rkey, rev }) {
      const rows = uid === 0 ? [] : versionsOf(ctx.db, { uid, collection, rkey })
      const older = rows.filter((row) => !isOutdated(row, { rev }))
      for (const row of older) emptyAssociated(ctx.db, row.id, rev)
      return older.length > 0
    },
    isFar: isOfNobodyKnown,
    isFarUnread: isUnreadStrangers,
    removeAll(ctx, uid) {
      for (const { id } of associatedHere(ctx.db, uid, collection)) {
        emptyAssociated(ctx.db, id, null)
      }
    },
    // They go with the posts that name them (data/store/records/associated-records.ts).
    release: [],
    storedKeys: keysOfAssociated(name),
    readWith: 'singly',
  }
}
