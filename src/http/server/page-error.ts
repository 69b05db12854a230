// Handles errors while a page is made: logs them, and tells the browser only that one occurred.

import type { Context } from 'hono'
import type { Logger } from '../../base/obs/log.ts'
import { InvariantError } from '../../base/util/assert.ts'

export type PageErrorParts = {
  log: Pick<Logger, 'error'>
  /** Called for violations of our own invariants. */
  onFatal: (error: unknown) => void
}

export function pageError({ log, onFatal }: PageErrorParts, error: Error, c: Context): Response {
  log.error({ path: c.req.path, err: error }, 'a page could not be shown')
  if (error instanceof InvariantError) onFatal(error)
  return c.json({ error: 'InternalServerError', message: 'Internal Server Error' }, 500)
}
