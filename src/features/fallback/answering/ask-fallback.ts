// Asks the public AppView anonymously and applies our rules to its answer: drops hidden items, and replaces
// viewer state by our own.

import { loadLexicons } from '../../../base/atproto/lexicons/lexicons.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { inTurn, inTurns } from '../../../base/util/turn.ts'
import type { Params } from '../../../http/server/method.ts'
import { waitLeftMs } from '../../../http/server/wait-left.ts'
import { type Call, formatLabelers } from '../../../http/xrpc/call.ts'
import { speak } from '../appview/our-verdict.ts'
import { itemsFieldOf } from '../appview/valid-answer.ts'
import { filterVisible } from '../appview/visible-items.ts'
import type { Asking } from './context.ts'
import { ourVerdictOn } from './our-knowledge.ts'

export type FallbackRequest = { nsid: string; params: Params; waitShare?: number }

/** @returns undefined if there is no answer in time, or nothing of it may be shown */
export async function askFallback(
  app: Asking,
  call: Call,
  { nsid, params, waitShare = 1 }: FallbackRequest,
): Promise<JsonObject | undefined> {
  const { accepted, reader, time } = call
  const answer = await app.fallback.ask({
    nsid,
    params,
    waitShare: waitShare * shareLeft(call.signal),
    labelers: accepted?.dids ?? [],
    asker: call.who,
    time,
    acceptLabelers: accepted && formatLabelers(accepted),
  })
  if (!answer) return undefined
  function* shown(found: JsonObject): Generator<void, JsonObject | undefined> {
    const verdict = yield* ourVerdictOn(app, found, reader)
    yield
    const field = itemsFieldOf(loadLexicons(), nsid)
    if (!filterVisible(nsid, found, { field, verdict })) return undefined
    speak(found, verdict)
    return found
  }
  return inTurn(call, () => inTurns(shown(answer)))
}

/** The longest wait for any answer. */
const MAX_WAIT_MS = 1_500
/** Granted to requests that have already waited for another server. */
const LEAST_SHARE = 0.2

/** Returns the share of MAX_WAIT_MS that the request has left. */
function shareLeft(signal: AbortSignal): number {
  return Math.max(LEAST_SHARE, waitLeftMs(signal, MAX_WAIT_MS, Date.now()) / MAX_WAIT_MS)
}
