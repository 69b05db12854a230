// Feed generators by at-URI, as several methods show them. What a member is shown and we lack is asked
// for, and waited for a moment: a client leaves out the tabs of feeds that are not in the answer.

import type { ProfileState, Viewer } from '../../answers/hydrate/types.ts'
import { generatorView } from '../../answers/views/generator-view.ts'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { AppContext } from './app-context.ts'
import { whenAsked } from './when-asked.ts'

type Parts = Pick<AppContext, 'waits' | 'hydrator' | 'underWay' | 'fetchRequests'>

/** In the order of `uris`; what can't be shown is left out. */
export function generatorViews(state: ProfileState, uris: readonly string[]) {
  return uris.map((uri) => generatorView(state, uri)).filter((view) => view !== undefined)
}

/** The state that holds these, once what is lacking has come or time is up. */
export async function generatorsAwaited(
  { waits, hydrator, underWay, fetchRequests }: Parts,
  uris: readonly string[],
  { viewer, signal }: { viewer: Viewer; signal: AbortSignal },
): Promise<ProfileState> {
  const state = hydrator.records(uris, viewer)
  const lacking = uris.filter((uri) => isLacking(state, uri))
  if (lacking.length === 0 || !viewer) return state
  const asked = fetchRequests.ask(viewer, { uris: lacking })
  fetchRequests.afterProfiles(state)
  const keys = lacking.map(parseRecordUri).filter((key) => key !== undefined)
  await waits.awaited(lacking, {
    isThere: () => {
      const now = hydrator.records(lacking, undefined)
      return lacking.every((uri) => !isLacking(now, uri))
    },
    isOver: whenAsked(asked, () => underWay.records(keys)),
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
