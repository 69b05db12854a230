import { join, relative } from 'node:path'

/**
 * Returns the shorter of its absolute and relative path, since socket addresses are limited in
 * length.
 */
export function controlSocketPath(dataDir: string): string {
  const path = join(dataDir, 'control.sock')
  const near = relative('.', path)
  return Buffer.byteLength(near) < Buffer.byteLength(path) ? near : path
}
