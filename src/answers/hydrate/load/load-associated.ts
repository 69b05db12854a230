// Loads the records that the link cards of posts name: articles and publications.

import { associatedRefsIn } from '../../../base/atproto/associated-refs.ts'
import { recordUri } from '../../../base/atproto/at-uri.ts'
import { associatedCollections, collectionCodes } from '../../../base/atproto/collections.ts'
import { parseJson } from '../../../base/util/json-object.ts'
import { associatedKey, cardRecord } from '../card-records.ts'
import type { Loader } from '../page.ts'
import type { FeedState } from '../types.ts'

const names = new Map(associatedCollections.map((name) => [collectionCodes[name] as number, name]))

/** Fills `associated`; the caller loads the accounts. */
export function addAssociated(loader: Loader, state: FeedState): void {
  const posts = [...state.posts.values()].filter(
    ({ record }) => associatedRefsIn(record).length > 0,
  )
  if (posts.length === 0) return
  for (const row of loader.readers.associated.cardsOf(posts.map(({ id }) => id))) {
    const collection = names.get(row.collection)
    if (!collection) continue
    const uri = recordUri(loader.parts.actors.didOf(row.uid), collection, row.rkey)
    const { uid, cid } = row
    const read = cardRecord({ collection, uid, uri, cid }, parseJson(row.card))
    if (read) state.associated.set(associatedKey(read), read)
    else loader.onUnusable(collection)
  }
}
