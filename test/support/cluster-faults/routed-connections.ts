// Loaded into a Slipstream under test before anything of its own (`node --import`), in each of its threads: what it
// connects to at an address of the engine goes to a proxy of the test's (engine-proxy.ts). A driver goes to the addresses
// that the engine tells, so a setting would not do.

import { Socket } from 'node:net'

type Target = { host?: string; port?: number }

const routes = new Map(
  Object.entries(JSON.parse(process.env['FAULTS_ROUTES'] ?? '{}') as Record<string, number>),
)
const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket

Socket.prototype.connect = function routed(this: Socket, ...args: unknown[]): Socket {
  // `net.connect` hands on its arguments as a list of their own.
  const target = (Array.isArray(args[0]) ? args[0][0] : args[0]) as Target
  const port = routes.get(`${target?.host}:${target?.port}`)
  if (port !== undefined) Object.assign(target, { host: '127.0.0.1', port })
  return connect.apply(this, args)
} as typeof Socket.prototype.connect
