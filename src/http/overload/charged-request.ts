/** What charges read of a request, and what they leave for its answer. */
export type ChargedRequest = {
  /** `name` in lower case. */
  header(name: string): string | undefined
  /** Address of the connection; undefined without a network connection. */
  readonly remoteAddress: string | undefined
  /** Rate limit headers for the answer, alternating names and values. */
  limitHeaders: string[] | undefined
}
