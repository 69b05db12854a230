// A handle that we cannot look up: somebody else may know whose it is, and then the account itself has
// to say so too.

import type { AppContext } from '../xrpc/app-context.ts'
import type { Answering } from '../xrpc/up-to-date.ts'
import { askFallback } from './asked.ts'
import { type OwnMethod, outcomeOf, settle } from './outcome.ts'

export function handleFromFallback(app: AppContext, own: OwnMethod): Answering {
  return async (call) => {
    const ours = await outcomeOf(own, call)
    if ('result' in ours) return ours.result
    const handle = String(call.params['handle']).toLowerCase()
    const found = await askFallback(app, call, { nsid: own.nsid, params: { handle } })
    const did = found?.['did']
    if (typeof did !== 'string') return settle(ours)
    const identity = await app.resolver.resolve(did).catch(() => undefined)
    return identity?.handle?.toLowerCase() === handle ? { body: { did } } : settle(ours)
  }
}
