// Why a PDS gave nothing we can use, in one word that decides what happens to the job.

import type { AccountStatus } from '../../base/event.ts'

type PdsFailure =
  | 'gone' // the repository isn't (or is no longer) there
  | 'not-found' // the repository is there, the record isn't
  | 'rate-limited' // ask again later
  | 'too-early' // likely to come by itself: not asked yet
  | 'unreachable' // no answer, or the server's own failure
  | 'bad-answer' // an answer that can't be right
  | 'mismatched' // some records do not hash to their CIDs; the others were taken
  | 'stopped' // we are shutting down

export class PdsError extends Error {
  override name = 'PdsError'
  readonly reason: PdsFailure
  /** For `rate-limited`: how long to wait, where the server said so. For `too-early`: how long to wait. */
  readonly retryAfterMs: number | undefined
  /** For `gone`: what the PDS says about the account; undefined where it knows nothing of it. */
  readonly accountStatus: AccountStatus | undefined
  /** For `gone`: the method that knows why says that there is no such repository. */
  readonly isUnknown: boolean

  constructor(
    reason: PdsFailure,
    message: string,
    options: {
      retryAfterMs?: number
      accountStatus?: AccountStatus
      isUnknown?: boolean
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.reason = reason
    this.retryAfterMs = options.retryAfterMs
    this.accountStatus = options.accountStatus
    this.isUnknown = options.isUnknown ?? false
  }
}
