// The routes over HTTP, behind the token.

import { Hono } from 'hono'
import { requireOperator } from './guard.ts'
import { createOperatorRoutes, type OperatorParts } from './routes.ts'

/** For `beside` of the server. */
export function operatorRoutes(parts: Omit<OperatorParts, 'isLocal'>) {
  const app = new Hono()
  app.use('*', requireOperator(parts.config))
  app.route('/', createOperatorRoutes({ ...parts, isLocal: false }))
  const charge = { route: 'operator', points: 1, from: 'operator' } as const
  return { path: '/operator', app, charges: [charge] }
}
