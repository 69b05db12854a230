// What our own handler says, as a value: where somebody else is asked too, its error is not the last word.

import { jsonBytes } from '../../answers/views/ready-json.ts'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { JsonObject } from '../../base/event.ts'
import type { MethodResult } from '../server/method.ts'
import type { Call } from '../xrpc/call.ts'
import type { Answering } from '../xrpc/up-to-date.ts'

/** A method as our own index answers it. */
export type OwnMethod = { nsid: string; answer: Answering }

type Outcome = { result: MethodResult } | { error: XRPCError }

export async function outcomeOf(own: OwnMethod, call: Call): Promise<Outcome> {
  try {
    return { result: await own.answer(call) }
  } catch (error) {
    if (error instanceof XRPCError) return { error }
    throw error
  }
}

export function settle(outcome: Outcome): MethodResult {
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

/** Blocks and the like are for us to say, whatever anybody else has. */
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

/** The body as plain JSON, whatever ready pieces it is made of. */
export function plainBody({ body }: MethodResult): JsonObject {
  return JSON.parse(jsonBytes(body).toString()) as JsonObject
}
