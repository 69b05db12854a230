// The one way from a request to its answer on the wire, for XRPC, /v1, operators' routes and pages: what answers
// it parses, pays for, authenticates and queues it (dispatch.ts, timelines/access.ts, side-routes.ts); here, whatever
// it throws becomes an answer, is charged if the caller is not known yet, and is logged; then come the headers.

import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { Overload } from '../overload/overload.ts'
import {
  type Answer,
  errorAnswer,
  type FinishedAnswer,
  finishAnswer,
  isBroken,
  toResponse,
  toXRPCError,
  writeAnswer,
} from './http-answer.ts'
import { type Connected, connectedRequest, type HttpRequest } from './http-request.ts'
import type { SlowRequests } from './slow-requests.ts'

type Respond = (
  request: HttpRequest,
  answer: () => Promise<Answer> | Answer,
) => Promise<FinishedAnswer>

/** The same behind the router. */
export type RouteRespond = (
  c: Context<{ Bindings: Connected }>,
  answer: (request: HttpRequest) => Promise<Answer> | Answer,
) => Promise<Response>

export type Responding = {
  respond: Respond
  respondTo: RouteRespond
  readonly isDraining: boolean
  /** From now on, answers end their connections. */
  drain(): void
}

type Dependencies = {
  overload: Pick<Overload, 'chargeFailure'>
  log: Pick<Logger, 'debug' | 'error'>
  /** Called when a request that was answered with 500 revealed a broken invariant. */
  onBroken?: ((error: unknown) => void) | undefined
}

export function createResponding(parts: Dependencies): Responding {
  const nextRequestId = createRequestIds()
  let isDraining = false

  async function respond(request: HttpRequest, answer: () => Promise<Answer> | Answer) {
    const envelope = { requestId: nextRequestId(), isDraining }
    try {
      return await finishAnswer(request, await answer(), envelope)
    } catch (error) {
      const refusal = refuse(parts, { error, request, requestId: envelope.requestId })
      void discard(request)
      return finishAnswer(request, refusal, envelope)
    }
  }

  return {
    respond,
    respondTo: throughRouter(respond),
    get isDraining() {
      return isDraining
    },
    drain() {
      isDraining = true
    },
  }
}

export function throughRouter(respond: Respond): RouteRespond {
  return async (c, answer) => {
    const request = connectedRequest(c)
    return toResponse(request, await respond(request, () => answer(request)))
  }
}

/** Sends what a route beside the router answers; resolves to the status, or to undefined if that failed. */
export async function send(
  response: ServerResponse,
  answering: Promise<FinishedAnswer>,
  about: {
    request: HttpRequest
    /** Listed among the slow requests. */
    name: string
    log: Pick<Logger, 'error'>
    slowRequests?: Pick<SlowRequests, 'add'> | undefined
  },
): Promise<void> {
  const { name, request, log, slowRequests } = about
  const { clock } = request
  try {
    const finished = await answering
    clock?.mark('finish')
    writeAnswer(response, finished)
    clock?.mark('write')
    if (clock) slowRequests?.add({ path: name, clock }, finished.status)
  } catch (error) {
    log.error({ path: request.path, err: error }, 'an answer could not be written')
    response.destroy()
  }
}

type Failure = { error: unknown; request: HttpRequest; requestId: string }

/** Charges the address for a failure before the caller is known, and logs it. */
function refuse(parts: Dependencies, { error, request, requestId }: Failure): Answer {
  const thrown = toXRPCError(error)
  // Refusing an unknown method costs no points, and a refusal must not hide a bug of our own.
  const refused = parts.overload.chargeFailure(request, thrown.status === 501 ? 0 : 1)
  const known = (thrown.status !== 500 && refused) || thrown
  report(parts, { error, known, requestId, request })
  return errorAnswer(known)
}

/** Logs our own failures as errors in full, and clients' errors at debug level. */
function report(
  { log, onBroken }: Dependencies,
  { error, known, requestId, request }: Failure & { known: XRPCError },
): void {
  const { status, error: name, message, hint } = known
  const { method, path } = request
  const line = { requestId, status, error: name, method, path }
  if (status !== 500) {
    log.debug({ ...line, message, hint, cause: known.cause }, 'refused')
    return
  }
  log.error({ ...line, err: error }, 'request failed')
  if (isBroken(error)) onBroken?.(error)
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

/** Short, unique to this process, in order of arrival. */
function createRequestIds(): () => string {
  const prefix = randomBytes(4).toString('hex')
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}
