// Calls by way of the member's PDS, which signs them for whom they are meant: ours by the `atproto-proxy`
// header, the PDS's own without it.

import { reasonOf } from '../../../sign-in/assets/reasons.ts'
import { type Session, setup } from '../../../sign-in/assets/session.ts'

export type Values = Record<string, string | number | boolean | readonly string[] | undefined>

/** An answer that is not a success: `error` is the name, as in the lexicon. */
export class CallError extends Error {
  readonly status: number
  readonly error: string
  constructor(status: number, error: string, message: string) {
    super(message)
    this.status = status
    this.error = error
  }
}

/** The session is over: the PDS gives no more tokens for it. */
export class SessionOverError extends Error {}

type Options = { to?: string | undefined; headers?: Record<string, string>; keepalive?: boolean }

let session: Session | undefined
let labelers: readonly string[] = []

export function useSession(found: Session | undefined): void {
  session = found
}

export function me(): string {
  if (!session) throw new SessionOverError('nobody is signed in')
  return session.did
}

/** Whose labels count, besides those of this server: from the member's preferences. */
export function useLabelers(dids: readonly string[]): void {
  labelers = dids
}

const OURS = () => `${setup().serviceDid}#bsky_appview`

/** A query to us. */
export function ask<T>(nsid: string, params: Values = {}): Promise<T> {
  return query<T>(nsid, params, { to: OURS() })
}

/** A procedure of ours. */
export function tell<T = void>(nsid: string, input: object, options: Options = {}): Promise<T> {
  return post<T>(nsid, JSON.stringify(input), 'application/json', { to: OURS(), ...options })
}

/** A query that the PDS answers itself, or another AppView. */
export function query<T>(nsid: string, params: Values, options: Options = {}): Promise<T> {
  return call<T>(`/xrpc/${nsid}${searchOf(params)}`, { method: 'GET' }, options)
}

export function post<T>(
  nsid: string,
  body: BodyInit | null,
  type: string,
  options: Options = {},
): Promise<T> {
  const headers = { 'content-type': type, ...options.headers }
  return call<T>(`/xrpc/${nsid}`, { method: 'POST', body }, { ...options, headers })
}

export function write<T = void>(nsid: string, input: object): Promise<T> {
  return post<T>(nsid, JSON.stringify(input), 'application/json')
}

async function call<T>(path: string, init: RequestInit, options: Options): Promise<T> {
  if (!session) throw new SessionOverError('nobody is signed in')
  const headers: Record<string, string> = { ...options.headers }
  if (options.to) headers['atproto-proxy'] = options.to
  if (options.to && labelers.length > 0) headers['atproto-accept-labelers'] = labelers.join(', ')
  const response = await reached(session, path, {
    ...init,
    headers,
    keepalive: options.keepalive ?? false,
  })
  const text = await response.text()
  const body = text === '' ? undefined : parsed(text)
  if (response.ok) return body as T
  const { error = 'Failed', message = response.statusText } = (body ?? {}) as Record<string, string>
  if (response.status === 401 && error !== 'AuthMissing') throw new SessionOverError(message)
  throw new CallError(response.status, error, message)
}

async function reached(oAuthSession: Session, path: string, init: RequestInit): Promise<Response> {
  try {
    return await oAuthSession.fetchHandler(path, init)
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === 'revoked' || reason === 'expired') throw new SessionOverError(reason)
    throw new CallError(0, 'Unreachable', (error as Error).message)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function searchOf(params: Values): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) search.append(name, String(item))
  }
  return search.size > 0 ? `?${search}` : ''
}
