// A request as dispatch reads it, whoever received it: Node's own server for what is asked often, or
// the platform's Request for everything else and for tests. Two thin faces of one implementation.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RequestClock } from './request-clock.ts'

export type HttpRequest = {
  readonly method: string
  /** As it was sent, still encoded, without the search. */
  readonly path: string
  /** What follows the question mark, still encoded. */
  readonly search: string
  /** `name` in lower case. */
  header(name: string): string | undefined
  readonly body: AsyncIterable<Uint8Array> | null
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
  /** Of the connection; undefined where there is none to the network. */
  readonly remoteAddress: string | undefined
  /** Whether the client has gone already, without making a signal for it. */
  readonly isGone: boolean
  /** What the answer has to say of limits, names and values in turn. */
  limitHeaders: string[] | undefined
  /** Whether what several nodes share was not to be had in time, so that the answer is what this node has. */
  isBehind: boolean
  /** Where its time goes; of what Node's own server received. */
  readonly clock?: RequestClock
}

/** `url` is a whole one, or begins with the path. */
function splitUrl(url: string): { path: string; search: string } {
  const mark = url.indexOf('?')
  if (mark < 0) return { path: url, search: '' }
  return { path: url.slice(0, mark), search: url.slice(mark + 1) }
}

export function ofPlatform(request: Request, remoteAddress?: string): HttpRequest {
  const { path, search } = splitUrl(request.url)
  return {
    method: request.method,
    path: new URL(path).pathname,
    search,
    header: (name) => request.headers.get(name) ?? undefined,
    // Only for who reads it: it makes a stream of the platform’s, which costs more than many an answer.
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
    isBehind: false,
  }
}

/** A query as Node's server has it. */
export class NodeQuery implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly body: HttpRequest['body'] = null
  readonly clock = new RequestClock()
  limitHeaders: string[] | undefined
  isBehind = false
  readonly #incoming: IncomingMessage
  /** Taken at once: a request that was destroyed has none. */
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

/** A call with a body as Node's server has it. What is not read of the body stays there for whoever reads on. */
export class NodeCall extends NodeQuery {
  override readonly body: AsyncIterable<Uint8Array>

  constructor(incoming: IncomingMessage, response: ServerResponse) {
    super(incoming, response)
    this.body = { [Symbol.asyncIterator]: () => piecesOf(incoming) }
  }
}

/** Most bodies have come with their head by now, and nothing has to be listened for. */
async function* piecesOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  const isWhole = incoming.complete && !incoming.destroyed
  const whole: Uint8Array | null = isWhole ? incoming.read() : null
  if (whole) yield whole
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
