// The interface of an XRPC method. Handlers deal in lexicon values, not HTTP: parameters are parsed and
// validated, results are JSON or ready bytes, and errors are `XRPCError`s.

import type { CallTime } from '../../base/util/turn.ts'
import type { Who } from '../overload/fair-queue.ts'
import type { AcceptedLabelers } from './labelers.ts'

/** Values as the lexicon declares them: defaults filled in, integers as numbers, arrays as arrays. */
export type Params = Record<string, unknown>

export type MethodContext<P = Params, I = unknown> = {
  /** DID of the calling account; undefined for a visitor who is not signed in. */
  viewer: string | undefined
  params: P
  /** Who pays for the call; undefined for callers without limits. */
  who?: Who | undefined
  /** A procedure's JSON body, validated against its lexicon. */
  input: I
  /** Labelers that apply (accepted-labelers.ts); undefined if the server has no labels. */
  labelers: AcceptedLabelers | undefined
  /**
   * The raw bearer token, for the methods that hand it on to a feed generator; undefined if it is
   * addressed to us, since a generator could use it here.
   */
  token: string | undefined
  /** The caller is the operator, who also sees content that was taken down. */
  isOperator?: boolean
  /** The caller has a reading link of the viewer, and must not learn their private state. */
  isByLink?: boolean
  /** Reads a request header that no other field covers; `name` in lower case. */
  header(name: string): string | undefined
  /** The headers whose names begin so; `prefix` in lower case. */
  headersWith(prefix: string): Record<string, string>
  /** Aborts when a query's client disconnects or its time is up. */
  readonly signal: AbortSignal
  /** The call's time on this thread; undefined for calls of our own. */
  readonly time?: CallTime
}

export type MethodResult = {
  /**
   * A value to serialise as JSON; ready JSON bytes (a Buffer or a list of them to concatenate,
   * never modified afterwards); or undefined for an empty answer.
   */
  body: unknown
  headers?: Record<string, string>
}

type Named<P, I> = Pick<MethodContext<P, I>, 'params' | 'input'>

export type Method<P = Params, I = unknown> = {
  nsid: string
  kind: 'query' | 'procedure'
  /**
   * `none` ignores tokens, `optional` refuses only a bad one, `required` refuses a missing one too;
   * `moderator` accepts the operator's token, as the password of a user `admin`, and the operator's
   * moderation services.
   */
  auth: 'required' | 'optional' | 'none' | 'moderator'
  /**
   * Accepts other `lxm` values for this method: the chat service, for example, calls `getProfiles`.
   */
  acceptsLxm?: (lxm: string) => boolean
  /** True if the token is meant for another audience (`getFeed`: the feed generator). */
  anyAudience?: boolean
  /** True if accounts that are not members may call it, to become one. */
  forStrangers?: boolean
  /** The viewer's PDS adds the viewer's latest writes to the answer (repo-rev.ts). */
  readAfterWrite?: boolean
  /**
   * Parts of the lexicon that it leaves out or answers differently, for docs/METHODS.md; unset if
   * none.
   */
  partly?: string
  /** Why it always refuses, if the message differs from that for an unknown method. */
  refused?: string
  /**
   * Names records by DID where the request names them by handle, before anything else reads it;
   * unset if the request names no records.
   */
  byDid?:
    | ((
        request: Named<P, I>,
        by: Pick<MethodContext, 'who' | 'time'>,
      ) => Named<P, I> | Promise<Named<P, I>>)
    | undefined
  /**
   * Waits for data that the answer needs, before the handler runs and without a place in the queue;
   * undefined if the handler may run at once. Bounds its own time and number of waiters.
   */
  ready?(context: MethodContext<P, I>): Promise<void> | undefined
  // Uses method syntax so that a Method with narrower parameters fits into a list of Methods.
  handler(context: MethodContext<P, I>): Promise<MethodResult> | MethodResult
}
