// A method as our own index answers it where a public AppView is asked too: at once while that AppView has not
// answered, and with all of the method's waits once it has no answer. So a configured AppView is never worse than
// none.

import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { MethodResult } from '../../../http/server/method.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import type { MethodDefinition } from '../../../http/xrpc/define.ts'
import type { Answering } from '../../../http/xrpc/waiting/up-to-date.ts'
import type { FallbackContext } from './context.ts'

export type OwnMethod = {
  nsid: string
  /** Waits for what is not here. */
  answer: Answering
  /** Requests what is not here, and does not wait for it. */
  atOnce: Answering
}

export function ownMethod(
  app: FallbackContext,
  { nsid, ready }: MethodDefinition,
  answer: Answering,
): OwnMethod {
  const waiting = (call: Call): MaybeLater<MethodResult> => {
    const wait = ready?.(app, call)
    return wait ? andThen(wait, () => answer(call.again())) : answer(call)
  }
  return { nsid, answer: waiting, atOnce: (call) => answer(call.atOnce()) }
}
