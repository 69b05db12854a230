// What goes wrong while a page is made: told in the log, and to the browser no more than that it did.

import type { Context } from 'hono'
import type { Logger } from '../../base/obs/log.ts'
import { InvariantError } from '../../base/util/assert.ts'

export type PageErrorParts = {
  log: Pick<Logger, 'error'>
  /** A broken invariant of ours came to light. */
  onFatal: (error: unknown) => void
}

export function pageError({ log, onFatal }: PageErrorParts, error: Error, c: Context): Response {
  log.error({ path: c.req.path, err: error }, 'a page could not be shown')
  if (error instanceof InvariantError) onFatal(error)
  return c.json({ error: 'InternalServerError', message: 'Internal Server Error' }, 500)
}
