/** `status`: an HTTP status. */
export class OperatorError extends Error {
  override name = 'OperatorError'
  readonly status: 400 | 404 | 409 | 413 | 503
  readonly hint: string
  constructor(status: OperatorError['status'], message: string, hint: string) {
    super(message)
    this.status = status
    this.hint = hint
  }
}

/** The body of every route's errors. */
export type ErrorBody = { error: string; message: string; hint?: string }
