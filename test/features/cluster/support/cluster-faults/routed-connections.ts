// Preloaded into a Slipstream under test (`node --import`), in each of its threads: redirects connections to
// the engine's addresses to a proxy of the test (engine-proxy.ts). A setting would not do, since a driver
// connects to the addresses that the engine reports.

import { Socket } from 'node:net'

type Target = { host?: string; port?: number }

const routes = new Map(
  Object.entries(JSON.parse(process.env['FAULTS_ROUTES'] ?? '{}') as Record<string, number>),
)
const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket

Socket.prototype.connect = function routed(this: Socket, ...args: unknown[]): Socket {
  // `net.connect` passes its arguments on as one array.
  const target = (Array.isArray(args[0]) ? args[0][0] : args[0]) as Target
  const port = routes.get(`${target?.host}:${target?.port}`)
  if (port !== undefined) Object.assign(target, { host: '127.0.0.1', port })
  return connect.apply(this, args)
} as typeof Socket.prototype.connect
