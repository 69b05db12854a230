// Routes other than XRPC that are requested so often that a router, and a platform Request and Response, would be
// a good part of their cost: they are answered from Node's own request to Node's own response.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type WebRoute, webPath } from '../../base/obs/request-counters.ts'
import { type FinishedAnswer, writeAnswer } from './http-answer.ts'
import { type HttpRequest, NodeCall } from './http-request.ts'
import type { SlowRequests } from './slow-requests.ts'

export type DirectRoute = {
  /** URL prefix. */
  path: string
  /** Undefined if the router should answer. The body is then still unread. */
  answer(request: HttpRequest): Promise<FinishedAnswer> | undefined
  /** The name for request counters. */
  route(request: HttpRequest): WebRoute
}

type Parts = {
  /** Receives counter names instead of URLs, which would reveal who reads what. */
  slowRequests?: Pick<SlowRequests, 'add'> | undefined
  onAnswered?: ((path: string, status: number, seconds: number) => void) | undefined
  log: { error(fields: object, message: string): void }
}

/** @returns a function that says whether it answers the request */
export function answerDirectly(
  routes: readonly DirectRoute[],
  { onAnswered, slowRequests, log }: Parts,
) {
  async function write(
    one: DirectRoute,
    answering: Promise<FinishedAnswer>,
    { request, response }: { request: HttpRequest; response: ServerResponse },
  ): Promise<void> {
    const startedAt = performance.now()
    try {
      const finished = await answering
      const { clock } = request
      clock?.mark('finish')
      writeAnswer(response, finished)
      clock?.mark('write')
      const seconds = (performance.now() - startedAt) / 1000
      const path = webPath(one.route(request))
      onAnswered?.(path, finished.status, seconds)
      if (clock) slowRequests?.add({ path, clock }, finished.status)
    } catch (error) {
      log.error({ path: request.path, err: error }, 'an answer could not be written')
      response.destroy()
    }
  }

  return (incoming: IncomingMessage, response: ServerResponse): boolean => {
    const one = routes.find(({ path }) => incoming.url?.startsWith(path))
    if (!one) return false
    const request = new NodeCall(incoming, response)
    const answering = one.answer(request)
    if (answering) void write(one, answering, { request, response })
    return answering !== undefined
  }
}
