// Checks whether the port is free by briefly listening on it: before anything is built, which takes seconds, so
// that a start that must fail does so immediately; and again before threads share the port.

import { once } from 'node:events'
import { createServer } from 'node:net'
import { type Config, ConfigError } from '../../base/config/config.ts'
import { listenOn } from '../server/listening/listener.ts'

type Address = Pick<Config, 'bind' | 'port'>

/**
 * @returns the port; a free one if any may be taken (0).
 * @throws errors of listening.
 */
export async function findFreePort({ bind, port }: Address): Promise<number> {
  const probe = createServer()
  // Otherwise another process of the same user that shares its port could take half of our
  // requests.
  const found = await listenOn(probe, { port, host: bind, exclusive: true })
  probe.close()
  await once(probe, 'close')
  return found.port
}

/** Turns the system's errors about the port into errors for the operator. */
export function asPortRefusal({ bind, port }: Address): (error: unknown) => never {
  return (error) => {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (!code || (syscall !== 'listen' && syscall !== 'bind' && syscall !== 'getaddrinfo'))
      throw error
    throw new ConfigError(`Cannot listen on ${bind}:${port}: ${message}.`, hintFor(code))
  }
}

function hintFor(code: string): string {
  if (code === 'EADDRINUSE') {
    return 'Stop the program that uses the port (`slipstream doctor --only port` or `ss -ltnp` of Debian’s iproute2 says more), or set another SLIPSTREAM_PORT.'
  }
  if (code === 'EACCES') {
    return 'Ports below 1024 need rights: set SLIPSTREAM_PORT to one above, and let a proxy take 443.'
  }
  return 'Set SLIPSTREAM_BIND to an address of this machine (0.0.0.0: all), and SLIPSTREAM_PORT to a free port.'
}
