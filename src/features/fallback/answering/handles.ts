// For a handle that we cannot resolve, asks the public AppView for its account. The account's own identity
// must then confirm the handle.

import { lookupsFor } from '../../../http/xrpc/strangers/outside-shares.ts'
import type { Answering } from '../../../http/xrpc/waiting/up-to-date.ts'
import { askFallback } from './ask-fallback.ts'
import type { FallbackContext } from './context.ts'
import { outcomeOf, settle } from './outcome.ts'
import type { OwnMethod } from './own-method.ts'

export function handleFromFallback(app: FallbackContext, own: OwnMethod): Answering {
  return async (call) => {
    const ours = await outcomeOf(own.answer, call)
    if ('result' in ours) return ours.result
    const handle = String(call.params['handle']).toLowerCase()
    const found = await askFallback(app, call, { nsid: own.nsid, params: { handle } })
    const did = found?.['did']
    if (typeof did !== 'string') return settle(ours)
    const identity = await app.resolver
      .resolve(did, { asker: lookupsFor(app, call) })
      .catch(() => undefined)
    return identity?.handle?.toLowerCase() === handle ? { body: { did } } : settle(ours)
  }
}
