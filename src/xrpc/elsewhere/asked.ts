// A question to the public AppView in the name of nobody, and its answer by our rules: who may not be
// seen is not, and what viewers are to accounts and did to posts is ours.

import type { Json } from '../../elsewhere/json.ts'
import { speak } from '../../elsewhere/our-word.ts'
import { keepShown } from '../../elsewhere/shown-items.ts'
import { itemsFieldOf } from '../../elsewhere/valid-answer.ts'
import { formatLabelers } from '../labelers.ts'
import { loadLexicons } from '../lexicons.ts'
import type { MethodContext, Params } from '../method.ts'
import { type Serving, viewerOf } from '../serving.ts'
import { ourWordOn } from './our-knowledge.ts'

export type Asked = { nsid: string; params: Params; patience?: number }

/** @returns undefined where there is no answer in time, or nothing of it may be shown */
export async function askElsewhere(
  serving: Serving,
  context: Pick<MethodContext, 'labelers' | 'viewer'>,
  { nsid, params, patience }: Asked,
): Promise<Json | undefined> {
  const { labelers } = context
  const answer = await serving.elsewhere?.ask({
    nsid,
    params,
    patience,
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
