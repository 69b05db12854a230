// Waiting for a slow reader.

import type { ServerResponse } from 'node:http'

/** Resolves when there is room for more, or the reader has gone. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.once('drain', done)
    response.once('close', done)
  })
}
