// The first that happens to a request, before anything is read of it: one from an address that has used up its time
// (overload/address-time.ts) is refused here. Refusals are given at a pace, and what is refused waits for its turn, so
// that a client which asks as fast as it gets answers buys next to nothing by that. Its connection is then closed,
// unless it is a proxy's, which carries others' requests as well.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import {
  type AddressTime,
  CONNECTION_MS,
  REQUEST_MS,
  type SmallAnswer,
} from '../../overload/address-time.ts'
import type { Overload } from '../../overload/overload.ts'
import { BASE_HEADERS, errorAnswer } from '../http-answer.ts'
import { createRefusalPace } from './refusal-pace.ts'

export type Entrance = {
  /** Whether a request may go on; if not, it is answered here. */
  mayEnter(incoming: IncomingMessage, response: ServerResponse): boolean
  /** Counts a new connection, and one that sent what is no request. */
  connected(socket: Socket): void
  unreadable(socket: Socket): void
  /** Whether a refusal that waits is all that the connection waits for. */
  isHeld(socket: Socket): boolean
}

type Dependencies = {
  overload: Pick<Overload, 'addressTime' | 'visitorOf'>
  isProxy: (address: string) => boolean
  onRefused: (path: string) => void
}

/** Refusals that wait in a proxy's connections, which are others', too. */
const MAX_PROXIED = 64
const HEALTH = '/xrpc/_health'
/** Where a token is asked for; elsewhere, one changes nothing. */
const WITH_TOKENS = ['/xrpc/', '/v1/', '/operator/', '/explore/api/', '/metrics']

export function createEntrance({ overload, isProxy, onRefused }: Dependencies): Entrance {
  const { addressTime } = overload
  const pace = createRefusalPace()
  const held = new WeakSet<Socket>()

  function visitorOf(incoming: IncomingMessage): string | undefined {
    const header = (name: string) => textOf(incoming.headers[name])
    return overload.visitorOf({ remoteAddress: incoming.socket.remoteAddress, header })
  }

  function refuse(incoming: IncomingMessage, response: ServerResponse, address: string): void {
    const { socket, url = '' } = incoming
    const isProxied = isProxy(socket.remoteAddress ?? '')
    const endsInSeconds = addressTime.secondsLeft(address)
    const waitMs = pace.next(address, isProxied ? MAX_PROXIED : Number.POSITIVE_INFINITY)
    onRefused(pathOf(url))
    const answer = () => answerWith(response, { endsInSeconds, isLast: !isProxied })
    if (waitMs <= 0) return answer()
    held.add(socket)
    // A waiting connection is silent, and is not to be closed early: it would only come again.
    if (!isProxied) socket.setTimeout(0)
    const timer = setTimeout(answer, waitMs).unref()
    response.once('close', () => {
      clearTimeout(timer)
      pace.leave(address)
      held.delete(socket)
    })
  }

  const countFor = (socket: Socket, ms: number) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress)) return
    const address = overload.visitorOf({ remoteAddress, header: () => undefined })
    if (address !== undefined) addressTime.add(address, ms)
  }

  return {
    mayEnter(incoming, response) {
      const address = visitorOf(incoming)
      if (address === undefined) return true
      const isUsedUp = addressTime.isUsedUp(address)
      const { authorization } = incoming.headers
      if (authorization !== undefined && takesToken(incoming)) {
        if (!isUsedUp || addressTime.mayShow(address, authorization)) return true
      } else if (!isUsedUp || isSmall(addressTime, incoming, address)) {
        addressTime.add(address, REQUEST_MS)
        return true
      }
      refuse(incoming, response, address)
      return false
    },
    connected: (socket) => countFor(socket, CONNECTION_MS),
    unreadable: (socket) => countFor(socket, REQUEST_MS),
    isHeld: (socket) => held.has(socket),
  }
}

function takesToken({ method, url = '' }: IncomingMessage): boolean {
  if (method === 'OPTIONS' || url.startsWith(HEALTH)) return false
  return WITH_TOKENS.some((path) => url.startsWith(path))
}

function isSmall(
  time: Pick<AddressTime, 'takeSmall'>,
  { method, url = '' }: IncomingMessage,
  address: string,
): boolean {
  const kind: SmallAnswer | undefined =
    method === 'OPTIONS' ? 'preflight' : url.startsWith(HEALTH) ? 'health' : undefined
  return kind !== undefined && time.takeSmall(address, kind)
}

function answerWith(
  response: ServerResponse,
  { endsInSeconds, isLast }: { endsInSeconds: number; isLast: boolean },
): void {
  if (response.destroyed) return
  const limits = { 'retry-after': String(endsInSeconds) }
  const error = new XRPCError(429, 'RateLimitExceeded', 'Rate Limit Exceeded', { headers: limits })
  const { status, body, headers } = errorAnswer(error)
  const text = body as Buffer
  response.writeHead(status, {
    ...BASE_HEADERS,
    ...headers,
    ...(isLast && { connection: 'close' }),
    'content-length': text.length,
  })
  response.end(text)
}

function textOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}
