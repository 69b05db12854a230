// From what a route of /v1 returns or throws to its answer. What fails before it is known who asks is charged to
// the address, as for XRPC.

import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import type { Logger } from '../../base/obs/log.ts'
import type { Overload } from '../overload/overload.ts'
import { type Answer, errorAnswer, isBroken, toXRPCError } from '../server/answer.ts'
import { finishAnswer, toResponse } from '../server/http-answer.ts'
import type { HttpRequest } from '../server/http-request.ts'
import { type Connected, connectedRequest } from '../server/side-routes.ts'

export type Respond = (
  c: Context<{ Bindings: Connected }>,
  answer: (request: HttpRequest) => Promise<Answer> | Answer,
) => Promise<Response>

export function createRespond(parts: {
  overload: Pick<Overload, 'chargeFailure'>
  log: Pick<Logger, 'debug' | 'error'>
  onBroken: (error: unknown) => void
}): Respond {
  const { overload, log, onBroken } = parts
  const prefix = randomBytes(4).toString('hex')
  let count = 0

  function refuse(request: HttpRequest, error: unknown, requestId: string): Answer {
    const known = toXRPCError(error)
    const { method, path } = request
    if (known.status === 500) {
      log.error({ requestId, method, path, err: error }, 'request failed')
      if (isBroken(error)) onBroken(error)
      return errorAnswer(known)
    }
    log.debug({ requestId, method, path, error: known.error, message: known.message }, 'refused')
    return errorAnswer(overload.chargeFailure(request) ?? known)
  }

  return async (c, answer) => {
    const request = connectedRequest(c)
    const requestId = `${prefix}-t${(count++).toString(36)}`
    let given: Answer
    try {
      given = await answer(request)
    } catch (error) {
      given = refuse(request, error, requestId)
      void discard(request)
    }
    const finished = await finishAnswer(request, given, { requestId, isDraining: false })
    return toResponse(request, finished)
  }
}

/** What is not read would stand in the way of the connection's next request. Node bounds its time. */
async function discard({ body }: HttpRequest): Promise<void> {
  if (!body) return
  try {
    for await (const _ of body);
  } catch {
    // The client has gone.
  }
}
