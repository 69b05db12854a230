// Serves the operator's routes on a socket in the data folder, for the command line. Anyone who can open it
// can do everything, so only the user that runs Slipstream may. A socket left behind by a killed process is
// removed, since we hold the folder's lock.

import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Logger } from '../../base/obs/log.ts'
import { controlSocketPath } from './control-socket-path.ts'

type ControlSocket = { close(): Promise<void> }

const OWNER_ONLY = 0o600
const MASK = 0o177
/** Limit of a socket's address on Linux; slightly less elsewhere. */
const MAX_PATH_BYTES = 103

/** If the socket cannot be made, Slipstream logs it and runs without. Not on a worker thread. */
export async function listenOnControlSocket(options: {
  dataDir: string
  app: Hono
  log: Pick<Logger, 'warn'>
}): Promise<ControlSocket> {
  const { dataDir, app, log } = options
  const path = controlSocketPath(dataDir)
  // Importing a list of follows may take long.
  const server = createServer({ requestTimeout: 0 }, getRequestListener(app.fetch))
  const mask = process.umask(MASK)
  const listening = new Promise<void>((resolve, reject) => {
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw new Error('its path is too long')
    rmSync(path, { force: true })
    server.once('error', reject)
    server.listen(path, resolve)
  })
  process.umask(mask)
  try {
    await listening
    chmodSync(path, OWNER_ONLY)
  } catch (error) {
    log.warn(
      { path, error: (error as Error).message },
      'no control socket: the command line can’t reach this server',
    )
  }
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
