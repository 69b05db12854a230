// More was asked for than is fetched from other people's servers within a minute: it is not queued, and can be asked
// for again. What needs the fetch to mean anything is refused with it.

export class FetchLimitError extends Error {
  override name = 'FetchLimitError'

  constructor(message = 'more is asked for than is fetched in a minute') {
    super(message)
  }
}
