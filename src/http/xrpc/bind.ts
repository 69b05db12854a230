// Turns a definition into a method that the server can serve: creates the call from its context, and takes it
// through the same steps around every handler: labelers are named, others may know more, our own answer is kept
// up to date.

import { loadLexicons } from '../../base/atproto/lexicons/lexicons.ts'
import { andThen } from '../../base/util/turn.ts'
import type { Method, MethodResult } from '../server/method.ts'
import type { AppContext } from './app-context.ts'
import { type Call, createCall, formatLabelers } from './call.ts'
import type { MethodDefinition } from './define.ts'
import type { Elsewhere } from './elsewhere.ts'
import { namingByDid } from './naming/by-did.ts'
import { type Answering, upToDate } from './waiting/up-to-date.ts'

export function bind(
  app: AppContext,
  method: MethodDefinition,
  elsewhere?: Pick<Elsewhere, 'around'>,
): Method {
  const {
    handler,
    showsLabels: _,
    waitsForNames: __,
    isByKeys: ___,
    mayBeEmpty: ____,
    ...served
  } = method
  const own = upToDate(app, method, (call) => handler(app, call))
  const around = elsewhere?.around(app, method, own)
  const answering = namingLabelers(method, around ?? own)
  return {
    ...served,
    byDid: namingByDid(app, { lexicons: loadLexicons(), nsid: method.nsid }),
    handler: (context) => answering(createCall(app, context)),
    // The step around our own answer waits itself, only where nobody else knows.
    ready: around ? undefined : readyAtOnce(app, method),
  }
}

function readyAtOnce(app: AppContext, { ready }: MethodDefinition): Method['ready'] {
  return ready && ((context) => ready(app, createCall(app, context)))
}

/** Names the labelers that were applied, as the reference does. */
function namingLabelers({ showsLabels = true }: MethodDefinition, next: Answering): Answering {
  const named = ({ body, headers }: MethodResult, accepted: NonNullable<Call['accepted']>) => ({
    body,
    headers: { ...headers, 'atproto-content-labelers': formatLabelers(accepted) },
  })
  if (!showsLabels) return next
  return (call) => {
    const { accepted } = call
    return accepted ? andThen(next(call), (result) => named(result, accepted)) : next(call)
  }
}
