// Reasons for a missing picture: the answer to the client, and how long it may be cached.

type MediaFailure =
  | 'refused'
  | 'missing'
  | 'limited'
  | 'upstream'
  | 'late'
  | 'busy'
  | 'lost'
  | 'broken'

type Status = 400 | 404 | 429 | 500 | 502 | 503 | 504

/** Status, and for how many seconds the same request gets the same answer without a new attempt. */
const kinds: Record<MediaFailure, { status: Status; standsSeconds: number }> = {
  refused: { status: 400, standsSeconds: 3600 },
  missing: { status: 404, standsSeconds: 60 },
  limited: { status: 429, standsSeconds: 0 },
  upstream: { status: 502, standsSeconds: 20 },
  late: { status: 504, standsSeconds: 20 },
  busy: { status: 503, standsSeconds: 0 },
  /** Terminated from outside while in progress. */
  lost: { status: 503, standsSeconds: 60 },
  broken: { status: 500, standsSeconds: 0 },
}

export class MediaError extends Error {
  override name = 'MediaError'
  readonly status: Status
  readonly standsSeconds: number
  /** As in XRPC: a name for programs; the message is for people. */
  readonly error: string
  constructor(failure: MediaFailure, error: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.error = error
    this.status = kinds[failure].status
    this.standsSeconds = kinds[failure].standsSeconds
  }
}
