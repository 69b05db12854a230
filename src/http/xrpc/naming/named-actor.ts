// Resolves the account that a request names by handle or DID, for methods about one account.

import type { $Typed, AppBskyGraphDefs } from '@atproto/api'
import type { ReadyJson } from '../../../answers/views/json/ready-json.ts'
import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import type { NamedActor } from './actor-names.ts'

type ActorCall = Pick<Call<{ actor: string }>, 'params' | 'reader' | 'who' | 'time'>

/**
 * Finds the account. An unknown one has the uid 0 and is requested.
 * @throws XRPCError with the message `refusal`
 */
export function namedActor(refusal: string) {
  return (
    { names }: Needs<'names'>,
    { params, reader, who, time }: ActorCall,
  ): MaybeLater<NamedActor> =>
    andThen(names.find(params.actor, { who, time }), (found) => {
      if (!found) throw invalidRequest(refusal)
      if (found.uid === 0) reader.missing.add({ dids: [found.did] })
      return found
    })
}

/**
 * Finds an account that can be shown, with its profileView.
 * @throws XRPCError with the reference's message
 */
export function visibleActor(
  { names, viewCache }: Needs<'names' | 'viewCache'>,
  { params, reader, who, time }: ActorCall,
): MaybeLater<{ uid: number; view: ReadyJson }> {
  return andThen(names.find(params.actor, { who, time }), (found) => {
    const uid = found?.uid ?? 0
    const [view] = uid === 0 ? [] : viewCache.profiles([uid], reader)
    if (found?.uid === 0) reader.missing.add({ dids: [found.did] })
    if (view === undefined) throw invalidRequest(`Actor not found: ${params.actor}`)
    return { uid, view }
  })
}

/** For a handle that does not resolve; a DID always names an account, known or not. */
export function notFoundActor(actor: string): $Typed<AppBskyGraphDefs.NotFoundActor> {
  return { $type: 'app.bsky.graph.defs#notFoundActor', actor, notFound: true }
}
