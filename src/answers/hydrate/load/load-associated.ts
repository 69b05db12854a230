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
  const rows = loader.readers.associated.cardsOf(posts.map(({ id }) => id))
  const keys = rows.map((row) => addRow(loader, state, row))
  for (const at of loader.readers.labels.labelledAmong(rows)) {
    state.labelledAssociated.add(keys[at]!)
  }
}

type Row = ReturnType<Loader['readers']['associated']['cardsOf']>[number]

/** @returns its key */
function addRow(loader: Loader, state: FeedState, row: Row): string {
  const { id, uid, cid, card } = row
  const collection = names.get(row.collection)!
  const uri = recordUri(loader.context.actors.didOf(uid), collection, row.rkey)
  const key = associatedKey({ uri, cid })
  state.associatedRows.set(key, id)
  if (card === null) return key
  const read = cardRecord({ collection, uid, uri, cid }, parseJson(card))
  if (read) state.associated.set(key, read)
  else loader.onUnusable(collection)
  return key
}
