// Why a stranger's server gave no answer, as one word for counts and logs.

export type FetchFailure =
  | 'bad-url' // not a URL, too long, or with credentials in it
  | 'protocol' // not https
  | 'ip-literal' // an address instead of a name
  | 'private-address' // the name resolves to a private network
  | 'dns' // the name does not resolve
  | 'dns-silent' // its name servers do not answer, so it may
  | 'connect' // refused, reset, TLS, or not HTTP
  | 'redirect' // too many, or to nowhere
  | 'encoding' // compressed in a way not requested, or torn
  | 'too-large' // more bytes than allowed
  | 'timeout' // not finished in time
  | 'slow' // the body came below the least pace
  | 'aborted' // the caller's signal
  | 'busy' // too many of our requests at once

export class FetchError extends Error {
  override name = 'FetchError'
  readonly reason: FetchFailure
  constructor(reason: FetchFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
