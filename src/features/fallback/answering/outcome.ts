// Our own handler's result or error as a value: when the public AppView is asked too, our error is not final.

import { jsonBytes } from '../../../answers/views/json/ready-json.ts'
import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { inTurn, type MaybeLater } from '../../../base/util/turn.ts'
import type { MethodResult } from '../../../http/server/method.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import type { Answering } from '../../../http/xrpc/waiting/up-to-date.ts'

export type Outcome = { result: MethodResult } | { error: XRPCError }

export async function outcomeOf(answer: Answering, call: Call): Promise<Outcome> {
  try {
    return { result: await answer(call) }
  } catch (error) {
    if (error instanceof XRPCError) return { error }
    throw error
  }
}

export function settle(outcome: Outcome): MethodResult {
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

/** Errors that only we can decide, such as blocks, whatever the AppView returns. */
const FINAL = new Set([
  'AccountDeactivated',
  'AccountTakedown',
  'AuthMissing',
  'BlockedActor',
  'BlockedByActor',
])

export function isFinal(outcome: Outcome): boolean {
  return 'error' in outcome && FINAL.has(outcome.error.error)
}

/**
 * The body as plain JSON, with prepared fragments expanded: up to megabytes, and many calls may have
 * waited for the same AppView, so each does it when its caller has a turn.
 */
export function plainBody({ body }: MethodResult, { time }: Call): MaybeLater<JsonObject> {
  return inTurn({ time }, () => JSON.parse(jsonBytes(body).toString()) as JsonObject)
}
