// The routes over HTTP, behind the token.

import { Hono } from 'hono'
import { requireOperator } from './guard.ts'
import { createOperatorRoutes, type OperatorParts } from './routes.ts'

/** For `beside` of the server. */
export function operatorRoutes(parts: Omit<OperatorParts, 'isLocal'>): { path: string; app: Hono } {
  const app = new Hono()
  app.use('*', requireOperator(parts.config))
  app.route('/', createOperatorRoutes({ ...parts, isLocal: false }))
  return { path: '/operator', app }
}
