// A request as dispatch reads it, whatever received it: Node's own server for frequent requests, or the
// platform's Request for everything else and for tests. Both are thin adapters of one interface.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from 'hono'
import type { CallTime } from '../../base/util/turn.ts'
import type { ChargedRequest } from '../overload/charged-request.ts'
import { RequestClock } from './request-clock.ts'

export type HttpRequest = ChargedRequest & {
  readonly method: string
  /** As sent, still encoded, without the query. */
  readonly path: string
  /** The part after the question mark, still encoded. */
  readonly search: string
  /** Names and values of the headers whose names begin so; `prefix` in lower case. */
  headersWith(prefix: string): Record<string, string>
  readonly body: AsyncIterable<Uint8Array> | null
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Whether the client has disconnected, without creating a signal. */
  readonly isGone: boolean
  /**
   * What was not available in time, so that the answer is made from older data of this node's own;
   * a feature names it, and the client is told. Undefined if there was everything.
   */
  behind: string | undefined
  /** Tracks where time goes, for requests received by Node's own server. */
  readonly clock?: RequestClock
}

/** `url` is absolute, or begins with the path. */
function splitUrl(url: string): { path: string; search: string } {
  const mark = url.indexOf('?')
  if (mark < 0) return { path: url, search: '' }
  return { path: url.slice(0, mark), search: url.slice(mark + 1) }
}

function ofPlatform(request: Request, remoteAddress?: string): HttpRequest {
  const { path, search } = splitUrl(request.url)
  return {
    method: request.method,
    path: new URL(path).pathname,
    search,
    header: (name) => request.headers.get(name) ?? undefined,
    headersWith: (prefix) =>
      Object.fromEntries([...request.headers].filter(([name]) => name.startsWith(prefix))),
    // Lazy, since it creates a platform stream, which costs more than many answers.
    get body() {
      return request.body
    },
    get signal() {
      return request.signal
    },
    remoteAddress,
    get isGone() {
      return request.signal.aborted
    },
    limitHeaders: undefined,
    behind: undefined,
  }
}

/** A query received by Node's server. */
export class NodeQuery implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly body: HttpRequest['body'] = null
  readonly clock = new RequestClock()
  limitHeaders: string[] | undefined
  behind: string | undefined
  readonly #incoming: IncomingMessage
  /** Saved at construction, since a destroyed request has none. */
  readonly #socket: Socket
  readonly #response: ServerResponse
  #signal: AbortSignal | undefined

  constructor(incoming: IncomingMessage, response: ServerResponse) {
    const { path, search } = splitUrl(incoming.url ?? '')
    this.method = incoming.method ?? ''
    this.path = path
    this.search = search
    this.#incoming = incoming
    this.#socket = incoming.socket
    this.#response = response
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  headersWith(prefix: string): Record<string, string> {
    const names = Object.keys(this.#incoming.headers).filter((name) => name.startsWith(prefix))
    return Object.fromEntries(names.map((name) => [name, this.header(name) ?? '']))
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  get isGone(): boolean {
    return this.#response.destroyed
  }

  get signal(): AbortSignal {
    this.#signal ??= goneSignal(this.#response)
    return this.#signal
  }
}

/**
 * A call with a body, received by Node's server. An unread body can still be read by another
 * consumer.
 */
export class NodeCall extends NodeQuery {
  override readonly body: AsyncIterable<Uint8Array>

  constructor(incoming: IncomingMessage, response: ServerResponse) {
    super(incoming, response)
    this.body = { [Symbol.asyncIterator]: () => piecesOf(incoming) }
  }
}

/** Most bodies have arrived with their head, and need no listeners. */
async function* piecesOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  const isComplete = incoming.complete && !incoming.destroyed
  const complete: Uint8Array | null = isComplete ? incoming.read() : null
  if (complete) yield complete
  else yield* incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
}

function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const abort = () => {
    if (!response.writableFinished) controller.abort()
  }
  if (response.destroyed) abort()
  else response.once('close', abort)
  return controller.signal
}

// A request behind the router: what Node's server passes along, and the form that answers read.

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
