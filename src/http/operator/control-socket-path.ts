// Where the control socket of a data folder is.

import { join, relative } from 'node:path'

/** The shorter way to it from here: addresses of sockets are short. */
export function controlSocketPath(dataDir: string): string {
  const path = join(dataDir, 'control.sock')
  const near = relative('.', path)
  return Buffer.byteLength(near) < Buffer.byteLength(path) ? near : path
}
