// Routes other than XRPC: pages, metrics, images, the operator's routes, invites. Each is mounted behind a
// gatekeeper that charges the address, from a separate purse of points, and counts the outcome. So a person
// who views the status page, or a Prometheus behind the same address, is never refused because of XRPC
// requests, and a flood of image requests blocks no timeline.

import type { Hono, MiddlewareHandler } from 'hono'
import { type WebRoute, webPath } from '../../base/obs/request-counters.ts'
import type { Purse } from '../overload/charges.ts'
import type { Overload } from '../overload/overload.ts'
import type { DirectRoute } from './direct-routes.ts'
import { type Connected, connectedRequest, type HttpRequest } from './http-request.ts'
import type { RouteRespond } from './respond.ts'

export type SideRoutes = {
  path: string
  app: Hono | Hono<{ Bindings: Connected }>
  /** The subset that bypasses the router and charges no points by address. */
  direct?: DirectRoute
  /** Which requests are charged and counted; by default all under `path`. */
  charges?: Charge[]
}

type Charge = {
  /** hono patterns; by default all under the app's path. */
  patterns?: readonly string[]
  /** Name for request counters; unset: not counted. */
  route?: WebRoute | ((request: HttpRequest) => WebRoute)
  /** Points that a request takes from its address's purse; 0 if it is charged otherwise. */
  points: number
  from: Purse
}

type Dependencies = {
  overload: Pick<Overload, 'chargeAddress' | 'timeOf' | 'visitorOf'>
  respond: RouteRespond
  onAnswered?: ((path: string, status: number, seconds: number) => void) | undefined
}

/**
 * What a request costs beyond the turn that is measured: the router, the platform's Request and
 * Response, and sending. Requests for files have a price of their own.
 */
const REQUEST_MS = 0.2

export function mountSideRoutes(
  app: Hono<{ Bindings: Connected }>,
  { path, app: item, charges = [] }: SideRoutes,
  parts: Dependencies,
): void {
  for (const charge of charges) {
    const before = gatekeeper(charge, parts)
    for (const pattern of charge.patterns ?? [`${path}/*`]) app.use(pattern, before)
  }
  app.route(path, item as Hono)
}

function gatekeeper(
  { route, points, from }: Charge,
  { overload, respond, onAnswered }: Dependencies,
): MiddlewareHandler<{ Bindings: Connected }> {
  return async (c, next) => {
    const startedAt = performance.now()
    const request = connectedRequest(c)
    const refused = points > 0 ? overload.chargeAddress(request, points, from) : undefined
    if (c.env) c.env.visitor = overload.visitorOf(request)
    if (refused) c.res = await respond(c, () => Promise.reject(refused))
    else if (points === 0) await next()
    else {
      const time = overload.timeOf(request, points, from)
      if (c.env) c.env.time = time
      if (from !== 'files') time.addElsewhere(REQUEST_MS)
      await time.run(next)
    }
    if (!route) return
    const name = typeof route === 'string' ? route : route(request)
    onAnswered?.(webPath(name), c.res.status, (performance.now() - startedAt) / 1000)
  }
}
