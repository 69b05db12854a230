// A method as our own index answers it, beside a public AppView: at once while that is asked too, and with all
// of the method's waits once that has no answer. A configured AppView is thus never worse than none.

import type { MethodResult } from '../server/method.ts'
import type { AppContext } from '../xrpc/app-context.ts'
import type { Call } from '../xrpc/call.ts'
import type { MethodDefinition } from '../xrpc/define.ts'
import { andThen, type MaybeLater } from '../xrpc/maybe-later.ts'
import type { Answering } from '../xrpc/up-to-date.ts'

export type OwnMethod = {
  nsid: string
  /** Waits for what is not here. */
  answer: Answering
  /** Requests what is not here, and does not wait for it. */
  atOnce: Answering
}

export function ownMethod(
  app: AppContext,
  { nsid, ready }: MethodDefinition,
  answer: Answering,
): OwnMethod {
  const waiting = (call: Call): MaybeLater<MethodResult> => {
    const wait = ready?.(app, call)
    return wait ? andThen(wait, () => answer(call.again())) : answer(call)
  }
  return { nsid, answer: waiting, atOnce: (call) => answer(call.atOnce()) }
}
