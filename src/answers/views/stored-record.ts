// Finds a feed generator, starter pack or labeler in the state, for the views of these kinds.

import type { PresentedCollection, StoredRecord } from '../hydrate/stored-records.ts'
import type { ProfileState } from '../hydrate/types.ts'

/** @returns undefined if it is not in our index. */
export function storedRecord<Name extends PresentedCollection>(
  state: ProfileState,
  uri: string,
  collection: Name,
): Extract<StoredRecord, { collection: Name }> | undefined {
  // Such records are added, deleted and liked without invalidating the views that show them.
  state.forEveryone?.refuse()
  const held = state.records.get(uri)
  return held?.collection === collection
    ? (held as Extract<StoredRecord, { collection: Name }>)
    : undefined
}
