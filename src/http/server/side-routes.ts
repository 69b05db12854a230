// What is answered beside XRPC: pages, metrics, pictures, the operator's routes, invites. Each is mounted with
// what goes before it: the address is charged, from points of that kind alone, and what became of the request
// is counted. So a person who looks at the status page, or a Prometheus beside them, is never refused for
// what their address asked by XRPC, and a flood of pictures costs nobody their timeline.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { type WebRoute, webPath } from '../../base/obs/request-counters.ts'
import type { Overload, Purse } from '../overload/overload.ts'
import type { Answer } from './answer.ts'
import type { DirectRoute } from './direct-routes.ts'
import { type FinishedAnswer, toResponse } from './http-answer.ts'
import { type HttpRequest, NodeCall, ofPlatform } from './http-request.ts'

export type SideRoutes = {
  path: string
  app: Hono | Hono<{ Bindings: Connected }>
  /** Of them what goes by no router, and pays nothing by address. */
  direct?: DirectRoute
  /** What is charged and counted; all under `path` where not given. */
  charges?: Charge[]
}

type Charge = {
  /** As hono has them; all under the app's path where not given. */
  patterns?: string[]
  /** What it is counted as; not at all where not given. */
  route?: WebRoute | ((request: HttpRequest) => WebRoute)
  /** What a request takes of its address's points, and of which; nothing where it is charged otherwise. */
  points: number
  from: Purse
}

/** What hono is told beside the request; nothing where a test calls it. */
export type Connected = {
  incoming?: IncomingMessage
  /** To write to by hand, for what goes on for long. */
  outgoing?: ServerResponse
  /** The same as answers read it, once somebody has. */
  request?: HttpRequest | undefined
  /** The address that is charged, told to what is mounted; undefined for whom nothing is limited. */
  visitor?: string | undefined
}

type Parts = {
  overload: Pick<Overload, 'chargeAddress' | 'visitorOf'>
  respond: (request: HttpRequest, answer: () => Promise<Answer>) => Promise<FinishedAnswer>
  onAnswered?: ((path: string, status: number, seconds: number) => void) | undefined
}

export function mountSideRoutes(
  app: Hono<{ Bindings: Connected }>,
  { path, app: one, charges = [] }: SideRoutes,
  parts: Parts,
): void {
  for (const charge of charges) {
    const before = gatekeeper(charge, parts)
    for (const pattern of charge.patterns ?? [`${path}/*`]) app.use(pattern, before)
  }
  app.route(path, one as Hono)
}

function gatekeeper(
  { route, points, from }: Charge,
  { overload, respond, onAnswered }: Parts,
): MiddlewareHandler<{ Bindings: Connected }> {
  return async (c, next) => {
    const startedAt = performance.now()
    const request = connectedRequest(c)
    const refused = points > 0 ? overload.chargeAddress(request, points, from) : undefined
    if (c.env) c.env.visitor = overload.visitorOf(request)
    if (refused) c.res = toResponse(request, await respond(request, () => Promise.reject(refused)))
    else await next()
    if (!route) return
    const name = typeof route === 'string' ? route : route(request)
    onAnswered?.(webPath(name), c.res.status, (performance.now() - startedAt) / 1000)
  }
}

/** Node's own where there is one, which costs a fraction of the platform's. */
export function connectedRequest({ env, req }: Context<{ Bindings: Connected }>): HttpRequest {
  const { incoming, outgoing } = env ?? {}
  if (!incoming || !outgoing) return ofPlatform(req.raw, incoming?.socket.remoteAddress)
  env.request ??= new NodeCall(incoming, outgoing)
  return env.request
}
