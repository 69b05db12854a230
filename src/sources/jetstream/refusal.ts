// What a refused handshake asks for. The names are those of the server's source
// (internal/subscribe/handler.go) and of the event-stream specification; the v1 endpoint answers
// with bare statuses and plain text.

import type { Ending } from './connection.ts'

export type Refusal = Extract<Ending, { kind: 'refused' }>

export type Remedy =
  /** The cursor lies below the host's window: note the hole, go on from its floor. */
  | 'resume-from-floor'
  /** The cursor is from the host's future: its numbering or data is not what it was. */
  | 'resume-by-time'
  | 'fetch-dictionary'
  /** The host has no v2. */
  | 'use-v1'
  /** The URL is too long for something on the way. */
  | 'filter-here'
  /** Not ready, overloaded or broken: later, or elsewhere. */
  | 'wait'
  /** We asked for something it will not give; asking again will not help. */
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
