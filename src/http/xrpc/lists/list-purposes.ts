// `purposes` of getLists and getListsWithMembership, by short or full name. Reference lists, which starter
// packs consist of, are never in the answers.

import type { ProfileState } from '../../../answers/hydrate/types.ts'
import type { Call } from '../call.ts'

const DEFS = 'app.bsky.graph.defs#'
const PURPOSES = ['modlist', 'curatelist']

/** Whether the request includes lists of this purpose. */
export function hasPurpose(
  { lists }: ProfileState,
  id: number,
  { call }: { call: Call<{ purposes?: string[] }> },
): boolean {
  const asked = call.params.purposes ?? PURPOSES
  const purpose = lists.get(id)?.record.purpose
  return PURPOSES.some(
    (one) =>
      purpose === `${DEFS}${one}` && (asked.includes(one) || asked.includes(`${DEFS}${one}`)),
  )
}
