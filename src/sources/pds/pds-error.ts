// Why a PDS gave no usable answer, as one word that decides what happens to the job.

import type { AccountStatus } from '@slipstream/jetstream'

type PdsFailure =
  | 'gone' // the repository isn't there, or no longer
  | 'not-found' // the repository is there, the record isn't
  | 'rate-limited' // retry later
  | 'too-early' // likely to arrive on its own: not requested yet
  | 'unreachable' // no answer, or the server's own failure
  | 'bad-answer' // an answer that can't be right
  | 'mismatched' // some records do not hash to their CIDs; the others were taken
  | 'stopped' // we are shutting down

export class PdsError extends Error {
  override name = 'PdsError'
  readonly reason: PdsFailure
  /** How long to wait: for `rate-limited` if the server said so; always for `too-early`. */
  readonly retryAfterMs: number | undefined
  /** For `gone`: the account's status at the PDS; undefined if it does not know the account. */
  readonly accountStatus: AccountStatus | undefined
  /** For `gone`: the method that knows the reason says that there is no such repository. */
  readonly isUnknown: boolean
  /** For `not-found`: the server has no such method, or something before it answered. */
  readonly isNoAnswer: boolean

  constructor(
    reason: PdsFailure,
    message: string,
    options: {
      retryAfterMs?: number
      accountStatus?: AccountStatus
      isUnknown?: boolean
      isNoAnswer?: boolean
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.reason = reason
    this.retryAfterMs = options.retryAfterMs
    this.accountStatus = options.accountStatus
    this.isUnknown = options.isUnknown ?? false
    this.isNoAnswer = options.isNoAnswer ?? false
  }
}
