// The one error class that reaches the wire. A handler throws an `XRPCError`; the server writes its
// status, name and message as `{error, message}`. Anything else that is thrown is ours to read in the
// log, and becomes a fixed 500 text, so that nothing internal leaks.

const NO_ROOM_RETRY_SECONDS = 30
const FETCHES_RETRY_SECONDS = 60
const STREAMS_RETRY_SECONDS = 10

/** An answer that is an error: status, the lexicon's name for it, and a sentence for a person. */
export class XRPCError extends Error {
  override name = 'XRPCError'
  readonly status: number
  /** The name on the wire, such as `InvalidRequest` or one that the method's lexicon lists. */
  readonly error: string
  readonly headers: Record<string, string> | undefined
  /** For the operator's log only: what to look at or change. */
  readonly hint: string | undefined

  constructor(
    status: number,
    error: string,
    message: string,
    options: { headers?: Record<string, string>; hint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.status = status
    this.error = error
    this.headers = options.headers
    this.hint = options.hint
  }
}

/** The same error with more headers. */
export function withHeaders(error: XRPCError, headers: Record<string, string>): XRPCError {
  const { status, error: name, message, hint, cause } = error
  return new XRPCError(status, name, message, {
    headers: { ...error.headers, ...headers },
    hint,
    cause,
  })
}

/** 400: the request can't be understood, or names something that isn't there. */
export function invalidRequest(message: string, error = 'InvalidRequest'): XRPCError {
  return new XRPCError(400, error, message)
}

/** 401: who asks is unknown, or the token does not prove it. RFC 9110, 11.6.1: it says what would. */
export function unauthorized(error: string, message: string): XRPCError {
  return new XRPCError(401, error, message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** 403: we know who asks, and the answer is no. */
export function forbidden(message: string, error = 'Forbidden'): XRPCError {
  return new XRPCError(403, error, message)
}

/** 429: as much is open as there may be. */
export function tooManyStreams(message: string): XRPCError {
  const headers = { 'retry-after': String(STREAMS_RETRY_SECONDS) }
  return new XRPCError(429, 'TooManyStreams', message, { headers })
}

/** 501: a method that this server does not have. */
export function methodNotImplemented(): XRPCError {
  return new XRPCError(501, 'MethodNotImplemented', 'Method Not Implemented')
}

/** 503: right request, wrong moment. */
export function unavailable(
  message: string,
  options: { error?: string; hint?: string; cause?: unknown } = {},
): XRPCError {
  return new XRPCError(503, options.error ?? 'ServiceUnavailable', message, options)
}

/** 503: nothing can be written while the disk is full; what is asked for can be. The writer's log tells it once. */
export function noRoom(cause: unknown): XRPCError {
  const headers = { 'retry-after': String(NO_ROOM_RETRY_SECONDS) }
  const message = 'The server has no room to write this now; it was not done'
  const hint = 'the disk of the data folder is full'
  return new XRPCError(503, 'ServiceUnavailable', message, { headers, hint, cause })
}

/** 429: it would have us ask other people's servers, and this account has done that often enough for now. */
export function tooManyFetches(cause?: unknown): XRPCError {
  const headers = { 'retry-after': String(FETCHES_RETRY_SECONDS) }
  const message =
    'Too much was asked for that has to be fetched from elsewhere; try again in a minute'
  return new XRPCError(429, 'RateLimitExceeded', message, { headers, cause })
}
