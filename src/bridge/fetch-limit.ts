// The error if more fetches from other servers are requested than are made per minute: the request is not
// queued, but may be retried. Work that is meaningless without the fetch is rejected with it.

export class FetchLimitError extends Error {
  override name = 'FetchLimitError'

  constructor(message = 'more is asked for than is fetched in a minute') {
    super(message)
  }
}
