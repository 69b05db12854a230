// The only error class sent to clients. A handler throws an `XRPCError`; the server writes its status, name
// and message as `{error, message}`. Any other error is logged for us and sent as a fixed 500 text, so that
// no internals leak.

const NO_SPACE_RETRY_SECONDS = 30
const FETCHES_RETRY_SECONDS = 60
const STREAMS_RETRY_SECONDS = 10

/** An error response: status, the lexicon's error name, and a sentence for people. */
export class XRPCError extends Error {
  override name = 'XRPCError'
  readonly status: number
  /** The name on the wire, for example `InvalidRequest` or one that the method's lexicon lists. */
  readonly error: string
  readonly headers: Record<string, string> | undefined
  /** Only for the operator's log: what to check or change. */
  readonly hint: string | undefined
  /** Further fields of the answer, besides error and message. */
  readonly fields: Record<string, string> | undefined

  constructor(
    status: number,
    error: string,
    message: string,
    options: {
      headers?: Record<string, string>
      hint?: string
      fields?: Record<string, string>
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.status = status
    this.error = error
    this.headers = options.headers
    this.hint = options.hint
    this.fields = options.fields
  }
}

/** Returns the same error with additional headers. */
export function withHeaders(error: XRPCError, headers: Record<string, string>): XRPCError {
  const { status, error: name, message, hint, cause } = error
  return new XRPCError(status, name, message, {
    headers: { ...error.headers, ...headers },
    hint,
    cause,
  })
}

/** 400: the request is malformed, or names something that does not exist. */
export function invalidRequest(message: string, error = 'InvalidRequest'): XRPCError {
  return new XRPCError(400, error, message)
}

/**
 * 401: the caller is unknown, or the token proves nothing. RFC 9110, 11.6.1: the response names the
 * scheme that would.
 */
export function unauthorized(error: string, message: string): XRPCError {
  return new XRPCError(401, error, message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** 403: the caller is known but not allowed. */
export function forbidden(message: string, error = 'Forbidden'): XRPCError {
  return new XRPCError(403, error, message)
}

/** 429: the limit of open streams is reached. */
export function tooManyStreams(message: string): XRPCError {
  const headers = { 'retry-after': String(STREAMS_RETRY_SECONDS) }
  return new XRPCError(429, 'TooManyStreams', message, { headers })
}

/** 501: this server does not have the method. */
export function methodNotImplemented(): XRPCError {
  return new XRPCError(501, 'MethodNotImplemented', 'Method Not Implemented')
}

/** 503: a valid request at the wrong moment. */
export function unavailable(
  message: string,
  options: { error?: string; hint?: string; cause?: unknown } = {},
): XRPCError {
  return new XRPCError(503, options.error ?? 'ServiceUnavailable', message, options)
}

/**
 * 503: the disk is full, so nothing can be written; reads still work. The writer logs this once.
 */
export function noSpace(cause: unknown): XRPCError {
  const headers = { 'retry-after': String(NO_SPACE_RETRY_SECONDS) }
  const message = 'The server has no room to write this now; it was not done'
  const hint = 'the disk of the data folder is full'
  return new XRPCError(503, 'ServiceUnavailable', message, { headers, hint, cause })
}

/**
 * 429: the request needs fetches from other servers, and this account has caused too many recently.
 */
export function tooManyFetches(cause?: unknown): XRPCError {
  const headers = { 'retry-after': String(FETCHES_RETRY_SECONDS) }
  const message =
    'Too much was asked for that has to be fetched from elsewhere; try again in a minute'
  return new XRPCError(429, 'RateLimitExceeded', message, { headers, cause })
}
