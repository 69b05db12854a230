// Feed generators by at-URI, as several methods show them. What a member is shown and we lack is asked
// for, and waited for a moment: a client leaves out the tabs of feeds that are not in the answer.

import type { ProfileState, Viewer } from '../hydrate/types.ts'
import { generatorView } from '../views/generator-view.ts'
import type { Serving } from './serving.ts'

type Parts = Pick<Serving, 'hydrator' | 'wanted' | 'arrivals'>

/** In the order of `uris`; what can't be shown is left out. */
export function generatorViews(state: ProfileState, uris: readonly string[]) {
  return uris.map((uri) => generatorView(state, uri)).filter((view) => view !== undefined)
}

/** The state that holds these, once what is lacking has come or time is up. */
export async function generatorsAwaited(
  { hydrator, wanted, arrivals }: Parts,
  uris: readonly string[],
  { viewer, signal }: { viewer: Viewer; signal: AbortSignal },
): Promise<ProfileState> {
  const state = hydrator.records(uris, viewer)
  const lacking = uris.filter((uri) => isLacking(state, uri))
  if (lacking.length === 0 || !viewer) return state
  wanted.ask(viewer, { uris: lacking })
  wanted.afterProfiles(state)
  await arrivals.awaited(lacking, {
    isThere: () => {
      const now = hydrator.records(lacking, undefined)
      return lacking.every((uri) => !isLacking(now, uri))
    },
    signal,
  })
  return hydrator.records(uris, viewer)
}

/** A feed by nobody in particular is not worth showing yet. */
function isLacking(state: ProfileState, uri: string): boolean {
  const held = state.records.get(uri)
  const creator = state.actors.get(held?.uid ?? 0)
  return !held || (!creator?.hiddenAs && creator?.handle === UNVERIFIED)
}

const UNVERIFIED = 'handle.invalid'
