// Feed generators by at-URI, as several methods show them. Those that a member requests and we lack are
// fetched, and briefly waited for: a client drops the tabs of feeds missing from the answer.

import { asVisitor } from '../../answers/hydrate/reader.ts'
import type { ProfileState } from '../../answers/hydrate/types.ts'
import { generatorView } from '../../answers/views/generator-view.ts'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import { INVALID_HANDLE } from '../../base/atproto/handle.ts'
import type { Call } from './call.ts'
import type { Needs } from './define.ts'
import { inTurn } from './maybe-later.ts'
import { whenAsked } from './when-asked.ts'

type Parts = Needs<'waits' | 'hydrator' | 'underWay' | 'fetchRequests'>

/** In the order of `uris`; leaves out those that can't be shown. */
export function generatorViews(state: ProfileState, uris: readonly string[]) {
  return uris.map((uri) => generatorView(state, uri)).filter((view) => view !== undefined)
}

/** Returns the state with these generators once the missing ones have arrived or time is up. */
export async function generatorsAwaited(
  { waits, hydrator, underWay, fetchRequests }: Parts,
  uris: readonly string[],
  call: Pick<Call, 'reader' | 'signal' | 'time'>,
): Promise<ProfileState> {
  const { reader, signal } = call
  const read = () => inTurn(call, () => hydrator.records(uris, reader))
  const state = read()
  const lacking = uris.filter((uri) => isLacking(state, uri))
  if (lacking.length === 0 || !reader.viewer) return state
  const asked = fetchRequests.ask(reader.viewer, { uris: lacking })
  reader.missing.addProfiles(state)
  const keys = lacking.map(parseRecordUri).filter((key) => key !== undefined)
  await waits.awaited(lacking, {
    isThere: () => {
      const now = hydrator.records(lacking, asVisitor(reader))
      return lacking.every((uri) => !isLacking(now, uri))
    },
    isOver: whenAsked(asked, () => underWay.records(keys)),
    signal,
  })
  return read()
}

/** A feed is not worth showing before its creator has a verified handle. */
function isLacking(state: ProfileState, uri: string): boolean {
  const held = state.records.get(uri)
  const creator = state.actors.get(held?.uid ?? 0)
  return !held || (!creator?.hiddenAs && creator?.handle === INVALID_HANDLE)
}
