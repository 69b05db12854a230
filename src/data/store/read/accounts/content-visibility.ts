// Accounts that do not want to be recommended: app.bsky.actor.contentVisibilityDeclaration.

import { collectionCodes } from '../../../../base/atproto/collections.ts'
import { perDatabase } from '../../per-database.ts'
import { type Db, idList } from '../id-list.ts'

const DECLARATION = collectionCodes['app.bsky.actor.contentVisibilityDeclaration']

const statement = perDatabase((db) =>
  db
    .prepare<[string], number>(
      `SELECT r.uid FROM json_each(?) k CROSS JOIN records r
        ON r.uid = k.value AND r.collection = ${DECLARATION} AND r.cid IS NOT NULL
        WHERE json_extract(CAST(r.record AS TEXT), '$.hideFromAlgorithmicRecommendations')`,
    )
    .pluck(),
)

/** Those of these accounts (uids) that hide from recommendations. */
export function hiddenFromRecommendations(db: Db, uids: Iterable<number>): Set<number> {
  return new Set(statement(db).all(idList(uids)))
}
