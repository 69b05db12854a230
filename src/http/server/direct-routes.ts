// What is asked beside XRPC so often that going by a router, and making a Request and a Response of the platform, would
// be a good part of its cost: it is answered from Node's own request, to Node's own response.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type WebRoute, webPath } from '../../base/obs/request-counters.ts'
import { type FinishedAnswer, writeAnswer } from './http-answer.ts'
import { type HttpRequest, NodeCall } from './http-request.ts'

export type DirectRoute = {
  /** What addresses begin with. */
  path: string
  /** Undefined for what the router is to answer. Nothing was read of the body by then. */
  answer(request: HttpRequest): Promise<FinishedAnswer> | undefined
  /** What it is counted as. */
  route(request: HttpRequest): WebRoute
}

type Parts = {
  onAnswered?: ((path: string, status: number, seconds: number) => void) | undefined
  log: { error(fields: object, message: string): void }
}

/** @returns says whether it answers. */
export function answerDirectly(routes: readonly DirectRoute[], { onAnswered, log }: Parts) {
  async function write(
    one: DirectRoute,
    answering: Promise<FinishedAnswer>,
    { request, response }: { request: HttpRequest; response: ServerResponse },
  ): Promise<void> {
    const startedAt = performance.now()
    try {
      const finished = await answering
      writeAnswer(response, finished)
      const seconds = (performance.now() - startedAt) / 1000
      onAnswered?.(webPath(one.route(request)), finished.status, seconds)
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
