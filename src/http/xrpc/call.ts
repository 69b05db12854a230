// One call of a method, as its handler sees it: the request, the viewer, and the reader for whom the answer
// is made (answers/hydrate/reader.ts).

import { createReader, type Reader } from '../../answers/hydrate/reader.ts'
import type { Viewer } from '../../answers/hydrate/types.ts'
import { type Labelers, NO_LABELERS } from '../../base/atproto/labelers.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { MethodContext, Params } from '../server/method.ts'

/** A signed-in account; `uid` is 0 if it is not indexed. */
type Account = { uid: number; did: string }

export type Call<P = Params, I = unknown, V extends Viewer = Viewer> = Pick<
  MethodContext<P, I>,
  'params' | 'input' | 'token' | 'header' | 'headersWith' | 'signal' | 'time'
> & {
  readonly viewer: V
  readonly reader: Reader
  /** Who pays for the call; undefined for callers without limits. */
  readonly who: MethodContext['who']
  /** Undefined if the server has no labels. */
  readonly accepted: MethodContext['labelers']
  /** False if another server may have the answer: then nothing is waited for. */
  readonly mayWait: boolean
  /** Repeats the call with fresh data, and with other parameters if given. */
  again(params?: P): Call<P, I, V>
  /** The same call, answered from what is here. */
  atOnce(): Call<P, I, V>
}

/** For methods that require a signed-in caller. */
export type SignedInCall<P = Params, I = unknown> = Call<P, I, Account>

type Dependencies = {
  actors: Pick<ActorReader, 'uidOf'>
  /** DIDs of the operator's moderation services. */
  moderationServices: ReadonlySet<string>
}

export function createCall(parts: Dependencies, context: MethodContext): Call {
  return new OneCall(parts, context, context.params)
}

function viewerOf({ actors }: Dependencies, { viewer: did, isByLink }: MethodContext): Viewer {
  if (did === undefined) return undefined
  const uid = actors.uidOf(did)
  return isByLink ? { uid, did, withoutPrivateState: true } : { uid, did }
}

class OneCall implements Call {
  readonly viewer: Viewer
  readonly params: Params
  readonly reader: Reader
  readonly mayWait: boolean
  readonly #parts: Dependencies
  readonly #context: MethodContext

  constructor(parts: Dependencies, context: MethodContext, params: Params, mayWait = true) {
    const { viewer: did, isOperator, isByLink } = context
    this.#parts = parts
    this.#context = context
    this.viewer = viewerOf(parts, context)
    this.params = params
    this.mayWait = mayWait
    this.reader = createReader(this.viewer, {
      labelers: context.labelers ?? NO_LABELERS,
      seesTakenDown: isOperator || (!isByLink && parts.moderationServices.has(did ?? '')),
    })
  }

  get input(): unknown {
    return this.#context.input
  }

  get accepted(): MethodContext['labelers'] {
    return this.#context.labelers
  }

  get who(): MethodContext['who'] {
    return this.#context.who
  }

  get token(): string | undefined {
    return this.#context.token
  }

  get time(): MethodContext['time'] {
    return this.#context.time
  }

  /** Created only if a handler reads it. */
  get signal(): AbortSignal {
    return this.#context.signal
  }

  header(name: string): string | undefined {
    return this.#context.header(name)
  }

  headersWith(prefix: string): Record<string, string> {
    return this.#context.headersWith(prefix)
  }

  again(params: Params = this.params): Call {
    return new OneCall(this.#parts, this.#context, params, this.mayWait)
  }

  atOnce(): Call {
    return new OneCall(this.#parts, this.#context, this.params, false)
  }
}

/** Formats the `Atproto-Content-Labelers` response header. */
export function formatLabelers(labelers: Labelers): string {
  const known = formatted.get(labelers)
  if (known !== undefined) return known
  const { dids, redact } = labelers
  const text = dids.map((did) => (redact.has(did) ? `${did};redact` : did)).join(',')
  formatted.set(labelers, text)
  return text
}

const formatted = new WeakMap<Labelers, string>()
