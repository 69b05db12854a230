// Turns the return value or error of a /v1 route into its answer. Failures before the caller is known are
// charged to the address, as for XRPC.

import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import type { Logger } from '../../base/obs/log.ts'
import type { Overload } from '../overload/overload.ts'
import { type Answer, errorAnswer, isBroken, toXRPCError } from '../server/answer.ts'
import { type FinishedAnswer, finishAnswer, toResponse } from '../server/http-answer.ts'
import type { HttpRequest } from '../server/http-request.ts'
import { type Connected, connectedRequest } from '../server/side-routes.ts'

type Answering = (request: HttpRequest) => Promise<Answer> | Answer

export type Respond = (c: Context<{ Bindings: Connected }>, answer: Answering) => Promise<Response>

/** For routes that bypass the router. */
export type Finish = (request: HttpRequest, answer: Answering) => Promise<FinishedAnswer>

export function createRespond(parts: {
  overload: Pick<Overload, 'chargeFailure'>
  log: Pick<Logger, 'debug' | 'error'>
  onBroken: (error: unknown) => void
}): { respond: Respond; finish: Finish } {
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

  const finish: Finish = async (request, answer) => {
    const requestId = `${prefix}-t${(count++).toString(36)}`
    let given: Answer
    try {
      given = await answer(request)
    } catch (error) {
      given = refuse(request, error, requestId)
      void discard(request)
    }
    return finishAnswer(request, given, { requestId, isDraining: false })
  }

  const respond: Respond = async (c, answer) => {
    const request = connectedRequest(c)
    return toResponse(request, await finish(request, answer))
  }

  return { respond, finish }
}

/** An unread body would block the connection's next request. Node limits its time. */
async function discard({ body }: HttpRequest): Promise<void> {
  if (!body) return
  try {
    for await (const _ of body);
  } catch {
    // The client has disconnected.
  }
}
