// A feed generator, starter pack or labeler of the state, for the views of their kinds.

import type { HeldRecord, ShownCollection } from '../hydrate/held-records.ts'
import type { ProfileState } from '../hydrate/types.ts'

/** @returns undefined where we don't hold it. */
export function heldRecord<Name extends ShownCollection>(
  state: ProfileState,
  uri: string,
  collection: Name,
): Extract<HeldRecord, { collection: Name }> | undefined {
  // It comes, goes and is liked without what shows it having changed.
  state.forEveryone?.refuse()
  const held = state.records.get(uri)
  return held?.collection === collection
    ? (held as Extract<HeldRecord, { collection: Name }>)
    : undefined
}
