// One HTTP request as anybody would make it, bounded in time and size, with the redirect left where it
// is: what stands there is what is looked at.

import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, request } from 'undici'
import { asObject, parseJson } from '../../base/util/json-object.ts'

type AskOptions = {
  method?: Dispatcher.HttpMethod
  headers?: Record<string, string>
  body?: string
  timeoutMs?: number
}

export type Reply = {
  status: number
  /** Lower case; several of a name are joined. */
  headers: Record<string, string>
  /** The first of it. */
  text: string
  /** From asking to the last byte. */
  ms: number
}

/** @throws whatever undici does: see `whyNot`. */
export type Ask = (url: string, options?: AskOptions) => Promise<Reply>

const TIMEOUT_MS = 5_000
const CONNECT_TIMEOUT_MS = 4_000
const MAX_BYTES = 256 * 1024

export function createAsk(
  socket: { lookup?: LookupFunction; ca?: string } = {},
): Ask & { close(): Promise<void> } {
  const connect = { ...socket, timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true }
  const dispatcher = new Agent({ connect, pipelining: 0 })

  async function ask(url: string, options: AskOptions = {}): Promise<Reply> {
    const { method = 'GET', headers, body, timeoutMs = TIMEOUT_MS } = options
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await request(url, {
      ...{ dispatcher, method, signal },
      headers: { 'user-agent': 'slipstream doctor', ...headers },
      body: body ?? null,
    })
    const text = await readStart(answer.body)
    const ms = Math.round(performance.now() - startedAt)
    return { status: answer.statusCode, headers: flat(answer.headers), text, ms }
  }

  return Object.assign(ask, { close: () => dispatcher.close() })
}

async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece)
    length += piece.length
    if (length > MAX_BYTES) break
  }
  return Buffer.concat(pieces).toString()
}

function flat(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  )
}

/** The body as an object; empty where it is none. */
export function jsonOf({ text }: Pick<Reply, 'text'>): Record<string, unknown> {
  return asObject(parseJson(text)) ?? {}
}
