// A request behind the router: what Node's server passes along, and the form that answers read.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { CallTime } from '../../base/util/turn.ts'
import { type HttpRequest, NodeCall, ofPlatform } from './http-request.ts'

/** Passed to hono beside the request; empty when a test calls it. */
export type Connected = {
  incoming?: IncomingMessage
  /** For handlers that write long-running responses by hand. */
  outgoing?: ServerResponse
  /** The same request in the form that answers read, created on first use. */
  request?: HttpRequest | undefined
  /** The address that is charged, for the mounted app; undefined for clients without limits. */
  visitor?: string | undefined
  /** The request's time, for what the mounted app does in later turns. */
  time?: CallTime | undefined
}

/** Uses Node's own request if there is one, at a fraction of the cost of the platform's. */
export function connectedRequest({ env, req }: Context<{ Bindings: Connected }>): HttpRequest {
  const { incoming, outgoing } = env ?? {}
  if (!incoming || !outgoing) return ofPlatform(req.raw, incoming?.socket.remoteAddress)
  env.request ??= new NodeCall(incoming, outgoing)
  return env.request
}
