// How a method is written down: its name, what it asks of a caller, and a handler that is given the parts
// of the server which it needs. methods.ts is the table of all.

import type { Method, MethodResult } from '../server/method.ts'
import type { AppContext } from './app-context.ts'
import type { Call, SignedInCall } from './call.ts'
import type { MaybeLater } from './maybe-later.ts'

/** The parts of the server that a handler names. */
export type Needs<Names extends keyof AppContext> = Pick<AppContext, Names>

type MethodOptions = Omit<Method, 'nsid' | 'kind' | 'auth' | 'handler' | 'ready' | 'fallback'> & {
  /** False where nothing that a labeler can be about is shown: the answer names no labelers then. */
  showsLabels?: boolean
  /** False where nobody waits for names that were never looked up (name-waits.ts). */
  waitsForNames?: boolean
}

/** `params` and `input` are for the handler to name, as its lexicon has them. */
export type CallOf<Auth extends Method['auth']> = Auth extends 'required'
  ? SignedInCall<never, never>
  : Call<never, never>

type Answering<C> = (app: AppContext, call: C) => MaybeLater<MethodResult>
type Ready<C> = (app: AppContext, call: C) => Promise<void> | undefined

export type QueryOptions<Auth extends Method['auth']> = MethodOptions & {
  auth: Auth
  /** Waits for what an answer needs, before the handler's turn (server/method.ts). */
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
    ...{ nsid, kind: 'query' },
    // Who may call it and with what is checked before (server/dispatch.ts).
    handler: handler as Answering<Call>,
    ready: ready as Ready<Call> | undefined,
  }
}

/** Only those who are signed in have anything changed. */
export function procedure<Auth extends 'required' | 'moderator' = 'required'>(
  nsid: string,
  options: MethodOptions & { auth?: Auth },
  handler: Answering<CallOf<Auth>>,
): MethodDefinition {
  return {
    ...{ auth: 'required', ...options },
    ...{ nsid, kind: 'procedure', showsLabels: false },
    handler: handler as Answering<Call>,
  }
}
