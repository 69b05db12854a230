// A question to the public AppView in the name of nobody, and its answer by our rules: who may not be
// seen is not, and what viewers are to accounts and did to posts is ours.

import { loadLexicons } from '../../data/lexicons/lexicons.ts'
import type { Json } from '../../sources/appview/json.ts'
import { speak } from '../../sources/appview/our-word.ts'
import { keepShown } from '../../sources/appview/shown-items.ts'
import { itemsFieldOf } from '../../sources/appview/valid-answer.ts'
import { formatLabelers } from '../server/labelers.ts'
import type { MethodContext, Params } from '../server/method.ts'
import { patienceLeftMs } from '../xrpc/patience.ts'
import { type Serving, viewerOf } from '../xrpc/serving.ts'
import { ourWordOn } from './our-knowledge.ts'

export type Asked = { nsid: string; params: Params; patience?: number }

/** @returns undefined where there is no answer in time, or nothing of it may be shown */
export async function askElsewhere(
  serving: Serving,
  context: Pick<MethodContext, 'labelers' | 'signal' | 'viewer'>,
  { nsid, params, patience = 1 }: Asked,
): Promise<Json | undefined> {
  const { labelers } = context
  const answer = await serving.elsewhere?.ask({
    nsid,
    params,
    patience: patience * shareLeft(context.signal),
    labelers: labelers?.dids ?? [],
    acceptLabelers: labelers && formatLabelers(labelers),
  })
  if (!answer) return undefined
  const word = ourWordOn(serving, answer, viewerOf(serving.actors, context.viewer))
  const field = itemsFieldOf(loadLexicons(), nsid)
  if (!keepShown(nsid, answer, { field, word })) return undefined
  speak(answer, word)
  return answer
}

/** As much as anything is waited for. */
const PATIENCE_MS = 1_500
/** Of who has waited for somebody else already. */
const LEAST_SHARE = 0.2

/** How much of its patience the request has left. */
function shareLeft(signal: AbortSignal): number {
  return Math.max(LEAST_SHARE, patienceLeftMs(signal, PATIENCE_MS, Date.now()) / PATIENCE_MS)
}
