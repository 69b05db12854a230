// Turns a definition into a method that the server can serve: creates the call from its context, and wraps
// every handler in the same middleware.

import { loadLexicons } from '../../base/atproto/lexicons/lexicons.ts'
import { andThen } from '../../base/util/turn.ts'
import { rules } from '../../sources/appview/coverage.ts'
import type { Method, MethodResult } from '../server/method.ts'
import type { AppContext } from './app-context.ts'
import { type Call, createCall, formatLabelers } from './call.ts'
import type { MethodDefinition } from './define.ts'
import { answeredByFallback } from './fallback/answered-by-fallback.ts'
import { namingByDid } from './naming/by-did.ts'
import { type Answering, upToDate } from './waiting/up-to-date.ts'

type Middleware = (app: AppContext, method: MethodDefinition, next: Answering) => Answering

/** The first is the outermost. */
const middleware: readonly Middleware[] = [namingLabelers, answeredByFallback, upToDate]

export function bind(app: AppContext, method: MethodDefinition): Method {
  const {
    handler,
    showsLabels: _,
    waitsForNames: __,
    isByKeys: ___,
    mayBeEmpty: ____,
    ...served
  } = method
  const answering = middleware.reduceRight<Answering>(
    (next, around) => around(app, method, next),
    (call) => handler(app, call),
  )
  return {
    ...served,
    fallback: rules[method.nsid]?.when,
    byDid: namingByDid(app, { lexicons: loadLexicons(), nsid: method.nsid }),
    handler: (context) => answering(createCall(app, context)),
    ready: readyAtOnce(app, method),
  }
}

/** Behind a public AppView, a method waits only where that has no answer (fallback/own-method.ts). */
function readyAtOnce(app: AppContext, { nsid, ready }: MethodDefinition): Method['ready'] {
  if (!ready || (app.fallback && rules[nsid])) return undefined
  return (context) => ready(app, createCall(app, context))
}

/** Names the labelers that were applied, as the reference does. */
function namingLabelers(
  _app: AppContext,
  { showsLabels = true }: MethodDefinition,
  next: Answering,
): Answering {
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
