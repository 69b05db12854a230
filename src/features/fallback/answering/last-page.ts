// Ends a list continued on the public AppView once that has no more: our own handler's page, without items.

import { loadLexicons } from '../../../base/atproto/lexicons/lexicons.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import type { MethodResult, Params } from '../../../http/server/method.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import { itemsFieldOf } from '../appview/valid-answer.ts'
import { plainBody } from './outcome.ts'
import type { OwnMethod } from './own-method.ts'

export async function lastPage(own: OwnMethod, call: Call): Promise<MethodResult> {
  const page = await own.answer(call.again(firstPage(call)))
  const first: JsonObject = await plainBody(page, call)
  const field = itemsFieldOf(loadLexicons(), own.nsid)
  const { cursor: _, ...rest } = first
  return { body: { ...rest, ...(field && { [field]: [] }) } }
}

function firstPage({ params }: Call): Params {
  const { cursor: _, ...rest } = params
  return 'limit' in rest ? { ...rest, limit: 1 } : rest
}
