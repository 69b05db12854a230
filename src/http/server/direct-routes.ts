// Routes that are requested so often that a router, and a platform Request and Response, would be a good part of
// their cost: queries of methods, pages and posts of timelines. They are answered from Node's own request to Node's
// own response.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../base/obs/log.ts'
import type { Answer, FinishedAnswer } from './http-answer.ts'
import { type HttpRequest, NodeCall, NodeQuery } from './http-request.ts'
import { send } from './respond.ts'
import type { SlowRequests } from './slow-requests.ts'

export type DirectRoute = {
  /** URL prefix. */
  path: string
  /** What answers it; undefined if the router should. The body is then still unread. */
  answering(request: HttpRequest): (() => Promise<Answer> | Answer) | undefined
  /** The name for counters, instead of a URL that would reveal who reads what; by default the path. */
  nameOf?(request: HttpRequest): string
}

type Dependencies = {
  respondAs: (
    name: string,
    request: HttpRequest,
    answer: () => Promise<Answer> | Answer,
  ) => Promise<FinishedAnswer>
  slowRequests?: Pick<SlowRequests, 'add'> | undefined
  log: Pick<Logger, 'error'>
}

/** @returns a function that says whether it answers the request */
export function answerDirectly(
  routes: readonly DirectRoute[],
  { respondAs, slowRequests, log }: Dependencies,
) {
  return (incoming: IncomingMessage, response: ServerResponse): boolean => {
    const route = routes.find(({ path }) => incoming.url?.startsWith(path))
    if (!route) return false
    const request = isBodiless(incoming)
      ? new NodeQuery(incoming, response)
      : new NodeCall(incoming, response)
    const answer = route.answering(request)
    if (!answer) return false
    const name = route.nameOf?.(request) ?? request.path
    void send(response, respondAs(name, request, answer), { request, name, log, slowRequests })
    return true
  }
}

function isBodiless({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}
