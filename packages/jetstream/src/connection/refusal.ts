// The remedy for a refused handshake. The names are those of the server's source
// (internal/subscribe/handler.go) and of the event-stream specification; the v1 endpoint answers with bare
// statuses and plain text.

import type { Ending } from './connection.ts'

export type Refusal = Extract<Ending, { kind: 'refused' }>

export type Remedy =
  /** The cursor is below the host's window: record the gap, resume from its floor. */
  | 'resume-from-floor'
  /** The cursor is in the host's future: its numbering or data has changed. */
  | 'resume-by-time'
  | 'fetch-dictionary'
  /** The host has no v2. */
  | 'use-v1'
  /** The URL is too long for a proxy on the way. */
  | 'filter-here'
  /** Not ready, overloaded or broken: retry later, or elsewhere. */
  | 'wait'
  /** The host will not grant this request; a retry will not help. */
  | 'give-up-host'

const byName: { [name: string]: Remedy } = {
  CursorTooOld: 'resume-from-floor',
  FutureCursor: 'resume-by-time',
  UnknownZstdDictionary: 'fetch-dictionary',
  DictionaryNotFound: 'fetch-dictionary',
  MethodNotImplemented: 'use-v1',
  ServiceUnavailable: 'wait',
  RateLimitExceeded: 'wait',
  InternalError: 'wait',
  ConsumerTooSlow: 'wait',
  InvalidRequest: 'give-up-host',
}

export function remedyFor({ status, name }: Refusal): Remedy {
  const named = Object.hasOwn(byName, name) ? byName[name] : undefined
  if (named) return named
  if (status === 404 || status === 405 || status === 501) return 'use-v1'
  if (status === 414 || status === 431) return 'filter-here'
  return status === 429 || status >= 500 ? 'wait' : 'give-up-host'
}
