import type { Context } from 'hono'
import type { Connected } from '../../http/server/side-routes.ts'

/** Undefined for clients without limits. */
export function visitorOf(c: Context): string | undefined {
  return (c.env as Connected | undefined)?.visitor
}
