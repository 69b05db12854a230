// What one XRPC method is. Handlers know lexicon values, not HTTP: parameters come parsed and
// validated, what they return is JSON or ready bytes, what they throw is an `XRPCError`.

import type { AcceptedLabelers } from './labelers.ts'

/** Values as the lexicon declares them: defaults filled in, integers as numbers, arrays as arrays. */
export type Params = Record<string, unknown>

export type MethodContext<P = Params, I = unknown> = {
  /** DID of the account that asks; undefined for a visitor who is not signed in. */
  viewer: string | undefined
  params: P
  /** A procedure's JSON body, valid by its lexicon. */
  input: I
  /** Whose labels count (accepted-labelers.ts); undefined where the server knows nothing of labels. */
  labelers: AcceptedLabelers | undefined
  /** The bearer token as it came, for the one method that hands it on (`getFeed`). */
  token: string | undefined
  /** The operator, who is shown what was taken down. */
  isOperator?: boolean
  /** A header of the request that concerns no other part of this; `name` in lower case. */
  header(name: string): string | undefined
  /** Aborts when the client of a query has gone, or its time is up. */
  readonly signal: AbortSignal
}

export type MethodResult = {
  /**
   * A value to be written as JSON; ready JSON bytes, a Buffer or a list of them in a row, never
   * changed from then on; or undefined for an empty answer.
   */
  body: unknown
  headers?: Record<string, string>
}

export type Method<P = Params, I = unknown> = {
  nsid: string
  kind: 'query' | 'procedure'
  /**
   * `none` ignores a token, `optional` refuses a bad one, `required` refuses none too; `moderator` is for the
   * operator's token, as the password of a user `admin`, and for their moderation services.
   */
  auth: 'required' | 'optional' | 'none' | 'moderator'
  /** Other `lxm` values that may call this method, as the chat service calls `getProfiles`. */
  acceptsLxm?: (lxm: string) => boolean
  /** True where the token is meant for somebody else (`getFeed`: the feed generator). */
  anyAudience?: boolean
  /** True where an account may call it that is no member, to become one. */
  forStrangers?: boolean
  /** The viewer's PDS adds to the answer what the viewer has just written (repo-rev.ts). */
  readAfterWrite?: boolean
  /** What of its lexicon it leaves out or answers otherwise, as docs/METHODS.md says; none where nothing. */
  partly?: string
  /** Why it always refuses, where that is said in words of its own rather than as for any unknown method. */
  refused?: string
  /** When it is answered from a public AppView, wholly or in part (sources/appview/); none where it never is. */
  fallback?: string
  /**
   * Waits for what an answer needs, before the handler's turn and without a place in the queue; undefined
   * where the handler may run at once. Bounded in time and number by itself.
   */
  ready?(context: MethodContext<P, I>): Promise<void> | undefined
  // Written as a method, so that a Method of narrower parameters fits into a list of Methods.
  handler(context: MethodContext<P, I>): Promise<MethodResult> | MethodResult
}
