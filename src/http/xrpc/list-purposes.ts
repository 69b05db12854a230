// `purposes` of getLists and getListsWithMembership, by their short or their whole names. Reference
// lists, which starter packs are made of, are never among the answers.

import type { ProfileState } from '../../answers/hydrate/types.ts'

const DEFS = 'app.bsky.graph.defs#'
const PURPOSES = ['modlist', 'curatelist']

/** @returns those of `ids` whose purpose is asked for. */
export function ofPurpose(
  { lists }: ProfileState,
  ids: readonly number[],
  purposes: readonly string[] = PURPOSES,
): number[] {
  const accepted = PURPOSES.filter(
    (one) => purposes.includes(one) || purposes.includes(`${DEFS}${one}`),
  )
  return ids.filter((id) => {
    const purpose = lists.get(id)?.record.purpose
    return accepted.some((one) => purpose === `${DEFS}${one}`)
  })
}
