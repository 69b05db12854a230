// A handle that we cannot look up: somebody else may know whose it is, and then the account itself has
// to say so too.

import type { Method } from '../server/method.ts'
import type { AppContext } from '../xrpc/app-context.ts'
import { askFallback } from './asked.ts'
import { outcomeOf, settle } from './outcome.ts'

export function handleFromFallback(serving: AppContext, method: Method): Method['handler'] {
  return async (context) => {
    const ours = await outcomeOf(method, context)
    if ('result' in ours) return ours.result
    const handle = String(context.params['handle']).toLowerCase()
    const found = await askFallback(serving, context, { nsid: method.nsid, params: { handle } })
    const did = found?.['did']
    if (typeof did !== 'string') return settle(ours)
    const identity = await serving.resolver.resolve(did).catch(() => undefined)
    return identity?.handle?.toLowerCase() === handle ? { body: { did } } : settle(ours)
  }
}
