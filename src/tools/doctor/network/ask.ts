// One plain HTTP request, bounded in time and size. Redirects are not followed, so that the first answer
// itself can be checked.

import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { asObject, parseJson } from '../../../base/util/json-object.ts'
import type { Agent } from '../../../sources/identity/undici-parts.ts'

type AskOptions = {
  method?: Dispatcher.HttpMethod
  headers?: Record<string, string>
  body?: string
  timeoutMs?: number
}

export type Reply = {
  status: number
  /** Lower-case names; values of the same name are joined. */
  headers: Record<string, string>
  /** The beginning of the body. */
  text: string
  /** From the request to the last byte. */
  ms: number
}

/** @throws undici's errors: see `whyNot`. */
export type Ask = (url: string, options?: AskOptions) => Promise<Reply>

const TIMEOUT_MS = 5_000
const CONNECT_TIMEOUT_MS = 4_000
const MAX_BYTES = 256 * 1024

export function createAsk(
  socket: { lookup?: LookupFunction; ca?: string } = {},
): Ask & { close(): Promise<void> } {
  const connect = { ...socket, timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true }
  let dispatcher: Agent | undefined

  async function ask(url: string, options: AskOptions = {}): Promise<Reply> {
    const { method = 'GET', headers, body, timeoutMs = TIMEOUT_MS } = options
    // Loaded late: every command would load it with the doctor's.
    const { Agent, request } = await import('../../../sources/identity/undici-parts.ts')
    dispatcher ??= new Agent({ connect, pipelining: 0 })
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await request(url, {
      dispatcher,
      method,
      signal,
      headers: { 'user-agent': 'slipstream doctor', ...headers },
      body: body ?? null,
    })
    const text = await readStart(answer.body)
    const ms = Math.round(performance.now() - startedAt)
    return { status: answer.statusCode, headers: flat(answer.headers), text, ms }
  }

  return Object.assign(ask, { close: async () => dispatcher?.close() })
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

/** The body as an object; empty if it is not one. */
export function jsonOf({ text }: Pick<Reply, 'text'>): Record<string, unknown> {
  return asObject(parseJson(text)) ?? {}
}
