// The only fetch for strangers' servers (invariant 8). DID documents, handles and PDSs choose the URLs; this
// file makes sure that a request never reaches our own network and that the answer is never endless or late.
// Where the operator allows private hosts, or trusts an origin (`trustedOrigins`: the PLC directory), address
// and protocol checks are off, but all limits stay.

import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import type { Logger } from '../../base/obs/log.ts'
import { boundPieces } from '../../base/util/few-pieces.ts'
import { unlessAborted } from '../../base/util/waits.ts'
import { countInterim, withCheapOverflow } from './answer-heads.ts'
import { readBody } from './bounded-body.ts'
import { FetchError } from './fetch-error.ts'
import { createGuardedLookup, type LookupAddresses, type PrivateHosts } from './guarded-lookup.ts'
import type { LeastPace } from './patience.ts'
import type { Agent } from './undici-parts.ts'

export type FetchOptions = {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Of the body, compressed or not, whichever is larger. */
  maxBytes?: number
  /** From the first lookup to the last byte, redirects included. */
  timeoutMs?: number
  /**
   * From the connection to the first byte of the answer, counted again for each redirect; unlimited if not
   * given.
   */
  firstByteMs?: number
  /** Of the body; LEAST_PACE if not given. */
  leastPace?: LeastPace
  /** Takes the body of a 200 answer, piece by piece; it is then not kept in memory. */
  sink?: (piece: Buffer) => Promise<void>
  /** 0 makes every redirect an error. POST is never redirected. */
  maxRedirects?: number
  signal?: AbortSignal
}

export type FetchedResponse = {
  /** Of the last hop; every status is an answer, only a missing answer is an error. */
  status: number
  headers: Headers
  /** Decompressed. */
  body: Buffer
  /** Of the last hop. */
  url: string
}

/** @throws FetchError whose `reason` says in one word why there is no answer. */
export type GuardedFetch = (url: string, options?: FetchOptions) => Promise<FetchedResponse>

type GuardedFetchOptions = {
  allowPrivateHosts: PrivateHosts
  /** Origins named by the operator, which may be private and plain http. */
  trustedOrigins?: string[]
  /** Concurrent requests; one more is refused as `busy`. */
  maxInFlight?: number
  /** More concurrent requests to one origin wait for each other. */
  connectionsPerOrigin?: number
  /** Replaces DNS in tests; its results are checked all the same. */
  lookup?: LookupAddresses
  log?: Pick<Logger, 'debug'>
}

const DEFAULT_MAX_BYTES = 1024 * 1024
const DEFAULT_TIMEOUT_MS = 10_000
const DEFAULT_MAX_REDIRECTS = 3
/**
 * For every body: a server at home that sends to eight of our requests at once over a line of
 * 0.5 Mbit/s is still fast enough.
 */
const LEAST_PACE: LeastPace = { bytesPerSecond: 8_000, patienceMs: 3_000 }
const DEFAULT_MAX_IN_FLIGHT = 512
const CONNECT_TIMEOUT_MS = 5000
const DEFAULT_CONNECTIONS_PER_ORIGIN = 8
const KEEP_ALIVE_MS = 10_000
/** Repositories come in three pieces a block, of 80 bytes each. */
const PIECES = { free: 2_000, bytesAPiece: 32 }
const MAX_URL_LENGTH = 8192
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const HEADERS_FOR_ONE_ORIGIN = new Set(['authorization', 'cookie', 'proxy-authorization'])

type Hop = { url: URL; headers: Record<string, string> }
type Answer = { response: FetchedResponse; location: string | undefined }
type Undici = typeof import('./undici-parts.ts')
type Guard = { undici: Undici; agentFor(url: URL): Agent }

/**
 * A name is resolved once, by us, during the connect; every address must be public, and the socket
 * connects to exactly those addresses, so no second lookup can answer differently. IP literals in
 * URLs are refused in every spelling (the URL parser normalises them), since a literal would skip
 * the lookup; so are credentials and everything but https. Redirects are followed here, one by one,
 * with the same checks. Bytes are counted before and after decompression; a body has a least pace,
 * and one timeout covers everything.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const guardWith = createGuard(options)
  const maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT
  let inFlight = 0

  return async function guardedFetch(url, fetchOptions = {}) {
    if (inFlight >= maxInFlight) throw new FetchError('busy', `too many requests at once: ${url}`)
    inFlight += 1
    try {
      // Loaded late: it is a fifth of what a command loads, and most fetch nothing.
      const guard = guardWith(await import('./undici-parts.ts'))
      return await bounded(guard, url, fetchOptions, options)
    } finally {
      inFlight -= 1
    }
  }
}

async function bounded(
  guard: Guard,
  url: string,
  fetchOptions: FetchOptions,
  { log }: GuardedFetchOptions,
): Promise<FetchedResponse> {
  const signal = deadline(fetchOptions)
  try {
    // Undici notices an abort only once it is connected.
    return await unlessAborted(follow(guard, url, { ...fetchOptions, signal }), signal)
  } catch (error) {
    const failure = toFetchError(error, signal, url)
    log?.debug({ url, reason: failure.reason, err: failure }, 'fetch failed')
    throw failure
  }
}

function createGuard(options: GuardedFetchOptions): (undici: Undici) => Guard {
  const lookupFor = createGuardedLookup(options)
  const connections = options.connectionsPerOrigin ?? DEFAULT_CONNECTIONS_PER_ORIGIN
  const agents = new Map<LookupFunction, Agent>()
  return (undici) => ({
    undici,
    agentFor(url) {
      const lookup = lookupFor(url)
      const agent = agents.get(lookup) ?? createAgent(undici, lookup, connections)
      agents.set(lookup, agent)
      return agent
    },
  })
}

/** Follows redirects up to the limit, each checked like the first URL. */
async function follow(
  guard: Guard,
  url: string,
  options: FetchOptions & { signal: AbortSignal },
): Promise<FetchedResponse> {
  const maxRedirects = options.maxRedirects ?? DEFAULT_MAX_REDIRECTS
  let hop: Hop = { url: parseUrl(url), headers: options.headers ?? {} }
  for (let redirects = 0; ; redirects++) {
    const { response, location } = await fetchOnce(guard, hop, options)
    if (!location) return response
    if (redirects >= maxRedirects || options.method === 'POST') {
      throw new FetchError('redirect', `${redirects + 1} redirects are too many: ${url}`)
    }
    hop = nextHop(hop, location)
  }
}

async function fetchOnce(
  guard: Guard,
  { url, headers }: Hop,
  options: FetchOptions & { signal: AbortSignal },
): Promise<Answer> {
  const answer = await guard.undici.request(url, {
    dispatcher: guard.agentFor(url),
    method: options.method ?? 'GET',
    headers: { 'user-agent': 'slipstream', 'accept-encoding': 'gzip, br', ...headers },
    body: options.body ?? null,
    signal: options.signal,
    onInfo: countInterim(url),
    ...(options.firstByteMs && { headersTimeout: options.firstByteMs }),
  })
  // An abort also reaches the body, and an unhandled error event would stop the process.
  answer.body.on('error', () => undefined)
  boundPieces(answer.body, PIECES, {
    isOver: () => answer.body.destroyed,
    end: () => answer.body.destroy(new FetchError('too-large', `thousands of pieces: ${url}`)),
  })
  try {
    return await receive(url, answer, options)
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

async function receive(
  url: URL,
  answer: Dispatcher.ResponseData,
  { maxBytes = DEFAULT_MAX_BYTES, leastPace = LEAST_PACE, sink }: FetchOptions,
): Promise<Answer> {
  const status = answer.statusCode
  const headers = toHeaders(answer.headers)
  const contentEncoding = headers.get('content-encoding')
  const body = await readBody(answer.body, {
    contentEncoding,
    maxBytes,
    leastPace,
    sink: status === 200 ? sink : undefined,
  })
  const location = REDIRECTS.has(status) ? (headers.get('location') ?? '') : undefined
  if (location === '') throw new FetchError('redirect', `redirect to nowhere: ${url}`)
  return { response: { status, headers, body, url: url.href }, location }
}

function nextHop(hop: Hop, location: string): Hop {
  if (!URL.canParse(location, hop.url.href)) {
    throw new FetchError('redirect', `redirect to an invalid URL: ${hop.url}`)
  }
  const url = parseUrl(new URL(location, hop.url).href)
  if (url.origin === hop.url.origin) return { url, headers: hop.headers }
  const filtered = Object.entries(hop.headers).filter(
    ([name]) => !HEADERS_FOR_ONE_ORIGIN.has(name.toLowerCase()),
  )
  return { url, headers: Object.fromEntries(filtered) }
}

/** Checks that apply wherever the URL leads. */
function parseUrl(text: string): URL {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) {
    throw new FetchError('bad-url', `invalid URL: ${text.slice(0, 100)}`)
  }
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new FetchError('protocol', `neither https nor http: ${url.protocol}`)
  }
  if (url.username || url.password) {
    throw new FetchError('bad-url', `credentials in a URL for ${url.host}`)
  }
  return url
}

function createAgent(
  { Agent, buildConnector }: Undici,
  lookup: LookupFunction,
  connections: number,
): Agent {
  return new Agent({
    connections,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    allowH2: false,
    connect: withCheapOverflow(
      buildConnector({
        lookup,
        allowH2: false,
        timeout: CONNECT_TIMEOUT_MS,
        autoSelectFamilyAttemptTimeout: 1000,
      }),
    ),
  })
}

function deadline({ timeoutMs = DEFAULT_TIMEOUT_MS, signal }: FetchOptions): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  return signal ? AbortSignal.any([signal, timeout]) : timeout
}

function toFetchError(error: unknown, signal: AbortSignal, url: string): FetchError {
  if (error instanceof FetchError) return error
  const where = URL.canParse(url) ? new URL(url).origin : 'no URL'
  if (signal.aborted) {
    const isLate = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
    return new FetchError(isLate ? 'timeout' : 'aborted', `gave up on ${where}`, { cause: error })
  }
  if (error instanceof Error && 'code' in error && error.code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new FetchError('timeout', `${where} is silent`, { cause: error })
  }
  const cause = error instanceof Error ? error.message : String(error)
  return new FetchError('connect', `no answer from ${where}: ${cause}`, { cause: error })
}

function toHeaders(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(received)) {
    for (const text of Array.isArray(value) ? value : [value ?? '']) headers.append(name, text)
  }
  return headers
}
