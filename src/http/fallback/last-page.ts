// The end of a list that went on elsewhere, where they have no more to say: a page without items, as our
// own handler frames it.

import { loadLexicons } from '../../data/lexicons/lexicons.ts'
import type { Json } from '../../sources/appview/json.ts'
import { itemsFieldOf } from '../../sources/appview/valid-answer.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult, Params } from '../server/method.ts'
import { plainBody } from './outcome.ts'

export async function lastPage(method: Method, context: MethodContext): Promise<MethodResult> {
  const first: Json = plainBody(
    await method.handler({ ...contextOf(context), params: firstPage(context) }),
  )
  const field = itemsFieldOf(loadLexicons(), method.nsid)
  const { cursor: _, ...rest } = first
  return { body: { ...rest, ...(field && { [field]: [] }) }, headers: labelerHeaders(context) }
}

function firstPage({ params }: MethodContext): Params {
  const { cursor: _, ...rest } = params
  return 'limit' in rest ? { ...rest, limit: 1 } : rest
}

/** A context's own properties are not all of it. */
function contextOf(context: MethodContext): MethodContext {
  const { viewer, params, input, labelers, token, signal } = context
  return { viewer, params, input, labelers, token, signal, header: (name) => context.header(name) }
}
