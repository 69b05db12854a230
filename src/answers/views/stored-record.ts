// A feed generator, starter pack or labeler of the state, for the views of their kinds.

import type { ShownCollection, StoredRecord } from '../hydrate/stored-records.ts'
import type { ProfileState } from '../hydrate/types.ts'

/** @returns undefined where we don't hold it. */
export function storedRecord<Name extends ShownCollection>(
  state: ProfileState,
  uri: string,
  collection: Name,
): Extract<StoredRecord, { collection: Name }> | undefined {
  // It comes, goes and is liked without what shows it having changed.
  state.forEveryone?.refuse()
  const held = state.records.get(uri)
  return held?.collection === collection
    ? (held as Extract<StoredRecord, { collection: Name }>)
    : undefined
}
