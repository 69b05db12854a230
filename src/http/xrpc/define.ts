// Method definitions: a name, the requirements on the caller, and a handler that receives the parts of the
// server that it needs. methods.ts lists them all.

import type { MaybeLater } from '../../base/util/turn.ts'
import type { Method, MethodResult } from '../server/method.ts'
import type { AppContext } from './app-context.ts'
import type { Call, SignedInCall } from './call.ts'

/** The parts of the server that a handler needs. */
export type Needs<Names extends keyof AppContext> = Pick<AppContext, Names>

type MethodOptions = Omit<Method, 'nsid' | 'kind' | 'auth' | 'handler' | 'ready'> & {
  /**
   * True if the request names what it shows by key: it waits for that as for a page
   * (missing-waits.ts), and names what may still arrive in `notHereYet`.
   */
  isByKeys?: boolean
  /** True if an empty answer about an account is right, whether that is known here or not. */
  mayBeEmpty?: boolean
  /** False if the answer shows nothing that labels can be on; it then names no labelers. */
  showsLabels?: boolean
  /** False if the method never waits for names that were never looked up (name-waits.ts). */
  waitsForNames?: boolean
}

/** Handlers declare the types of `params` and `input`, by their lexicon. */
export type CallOf<Auth extends Method['auth']> = Auth extends 'required'
  ? SignedInCall<never, never>
  : Call<never, never>

type Answering<C> = (app: AppContext, call: C) => MaybeLater<MethodResult>
type Ready<C> = (app: AppContext, call: C) => Promise<void> | undefined

export type QueryOptions<Auth extends Method['auth']> = MethodOptions & {
  auth: Auth
  /** Waits for data that the answer needs, before the handler runs (server/method.ts). */
  ready?: Ready<CallOf<Auth>>
}

export type MethodDefinition = MethodOptions &
  Pick<Method, 'nsid' | 'kind' | 'auth'> & {
    handler: Answering<Call>
    ready?: Ready<Call> | undefined
  }

export function query<Auth extends Method['auth']>(
  nsid: string,
  { ready, ...options }: QueryOptions<Auth>,
  handler: Answering<CallOf<Auth>>,
): MethodDefinition {
  return {
    ...options,
    nsid,
    kind: 'query',
    // The caller's rights and the parameters are checked before (server/dispatch.ts).
    handler: handler as Answering<Call>,
    ready: ready as Ready<Call> | undefined,
  }
}

/** Only signed-in callers can change anything. */
export function procedure<Auth extends 'required' | 'moderator' = 'required'>(
  nsid: string,
  options: MethodOptions & { auth?: Auth },
  handler: Answering<CallOf<Auth>>,
): MethodDefinition {
  return {
    auth: 'required',
    ...options,
    nsid,
    kind: 'procedure',
    showsLabels: false,
    handler: handler as Answering<Call>,
  }
}
