// Feed generators by at-URI, as several methods show them. Those that a member requests and we lack are
// fetched, and briefly waited for (missing-waits.ts): a client drops the tabs of feeds missing from the answer.

import type { ProfileState } from '../../../answers/hydrate/types.ts'
import { generatorView } from '../../../answers/views/generator-view.ts'
import { INVALID_HANDLE } from '../../../base/atproto/handle.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'

/** In the order of `uris`; leaves out those that can't be shown. */
export function generatorViews(state: ProfileState, uris: readonly string[]) {
  return uris.map((uri) => generatorView(state, uri)).filter((view) => view !== undefined)
}

export function readGenerators(
  { hydrator }: Needs<'hydrator'>,
  uris: readonly string[],
  { reader }: Pick<Call, 'reader'>,
): ProfileState {
  const state = hydrator.records(uris, reader)
  reader.missing.addProfiles(state)
  reader.missing.add({ uris: uris.filter((uri) => isLacking(state, uri)) })
  return state
}

/** A feed is not worth showing before its creator has a verified handle. */
function isLacking(state: ProfileState, uri: string): boolean {
  const held = state.records.get(uri)
  const creator = state.actors.get(held?.uid ?? 0)
  return !held || (!creator?.hiddenAs && creator?.handle === INVALID_HANDLE)
}
