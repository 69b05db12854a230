// `purposes` of getLists and getListsWithMembership, by short or full name. Reference lists, which starter
// packs consist of, are never in the answers.

import type { ProfileState } from '../../../answers/hydrate/types.ts'
import type { Call } from '../call.ts'

const DEFS = 'app.bsky.graph.defs#'
const PURPOSES = ['modlist', 'curatelist']

type Purposed = Call<{ purposes?: string[] }>

/** The full names of those that the request includes. */
export function purposesOf({ params }: Purposed): string[] {
  const requested = params.purposes ?? PURPOSES
  const full = PURPOSES.filter((one) =>
    requested.some((name) => name === one || name === DEFS + one),
  )
  return full.map((one) => DEFS + one)
}

/** Whether the request includes lists of this purpose. */
export function hasPurpose(
  { lists }: ProfileState,
  id: number,
  { call }: { call: Purposed },
): boolean {
  const purpose = lists.get(id)?.record.purpose
  return typeof purpose === 'string' && purposesOf(call).includes(purpose)
}
