// What an operator is told when something can't be done: what is wrong, and what to do about it.

/** `status` as in HTTP. */
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

/** As every route says it. */
export type ErrorBody = { error: string; message: string; hint?: string }
