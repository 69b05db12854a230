// Why a stranger's server gave no answer, in one word that can be counted and logged.

export type FetchFailure =
  | 'bad-url' // not a URL, too long, or with credentials in it
  | 'protocol' // not https
  | 'ip-literal' // an address where a name should be
  | 'private-address' // the name leads into a private network
  | 'dns' // the name leads nowhere
  | 'connect' // refused, reset, TLS, or not HTTP
  | 'redirect' // too many, or to nowhere
  | 'encoding' // compressed in a way not asked for, or torn
  | 'too-large' // more bytes than allowed
  | 'timeout' // not done in time
  | 'aborted' // the caller's signal
  | 'busy' // too many requests of ours at once

export class FetchError extends Error {
  override name = 'FetchError'
  readonly reason: FetchFailure
  constructor(reason: FetchFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
