// `purposes` of getLists and getListsWithMembership, by their short or their whole names. Reference
// lists, which starter packs are made of, are never among the answers.

import type { ProfileState } from '../../answers/hydrate/types.ts'
import type { Call } from './call.ts'

const DEFS = 'app.bsky.graph.defs#'
const PURPOSES = ['modlist', 'curatelist']

/** Whether the list's purpose is asked for. */
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
