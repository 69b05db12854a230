// The one place that runs a handler, and runs it again if the viewer's rev moved while the answer was made
// (repo-rev.ts), or once missing records (missing-waits.ts) or names (name-waits.ts) have arrived. After each
// run it requests what the answer lacks; a refusal or an empty answer while that may still arrive is a 503.

import { withHeaders, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { MethodResult } from '../../server/method.ts'
import type { Call } from '../call.ts'
import type { MethodDefinition, Needs } from '../define.ts'
import { notHeldHere, notHereYet } from './not-here.ts'
import { showsNothing } from './shows-nothing.ts'

export type Answering = (call: Call) => MaybeLater<MethodResult>

type Dependencies = Needs<
  'fetchRequests' | 'missingWaits' | 'nameWaits' | 'publishedRev' | 'unknownThings'
>
/** `isLater`: the handler waited for others, and so for names itself. */
type Outcome = ({ result: MethodResult } | { error: XRPCError }) & { isLater?: boolean }

const MAX_RUNS = 4

export function upToDate(
  { fetchRequests, missingWaits, nameWaits, publishedRev, unknownThings }: Dependencies,
  method: MethodDefinition,
  handler: Answering,
): Answering {
  const { kind, readAfterWrite, waitsForNames = true, isByKeys, mayBeEmpty } = method
  const waits = kind === 'query' && waitsForNames
  const revOf = (call: Call) => (readAfterWrite ? publishedRev(call.viewer?.did) : undefined)

  function unnamedIn(call: Call, outcome: Outcome): number[] {
    const mayWait = waits && call.mayWait && call.viewer && 'result' in outcome && !outcome.isLater
    return mayWait ? nameWaits.unnamed(call.reader.missing.dids) : []
  }

  /** Waits for the records and accounts that the answer lacks, unless a request has just waited for them. */
  function missingArrived(
    call: Call,
    outcome: Outcome,
    requested: Promise<void>,
  ): MaybeLater<boolean> {
    if (kind !== 'query' || !call.mayWait || !call.viewer) return false
    const things = missingWaits.fresh(call.reader.missing)
    if (things.uris.length + things.dids.length === 0) return false
    const { signal } = call
    const isAll = isByKeys === true || emptiness(outcome, mayBeEmpty) !== undefined
    return missingWaits.awaited(things, { requested, signal, isAll })
  }

  /** Nothing reads as nonexistent that may still arrive. */
  function settled(
    call: Call,
    outcome: Outcome,
    requested: Promise<void> | undefined,
  ): MaybeLater<Outcome> {
    const { mayWait, reader, viewer } = call
    if (kind !== 'query' || !mayWait || reader.missing.isEmpty) return outcome
    const message = emptiness(outcome, mayBeEmpty)
    if (message === undefined && !isByKeys) return outcome
    return andThen(
      andThen<void, string[]>(requested, () => unknownThings.among(call)),
      (unknown) => {
        if (unknown.length === 0) return outcome
        if (message === undefined) return withoutSome(outcome, unknown)
        return { error: viewer ? notHereYet(message) : notHeldHere(message) }
      },
    )
  }

  function run(call: Call, runs: number): MaybeLater<MethodResult> {
    const rev = revOf(call)
    const judge = (outcome: Outcome): MaybeLater<MethodResult> => {
      const { missing } = call.reader
      if (missing.cards.size > 0) void fetchRequests.ask(call.viewer, { uris: missing.cards })
      const requested = missing.isEmpty ? undefined : fetchRequests.ask(call.viewer, missing)
      const isLast = runs === MAX_RUNS
      const finish = (hasCome: boolean) => {
        const isOvertaken = hasCome || revOf(call) !== rev
        if (isOvertaken && !isLast) return run(call.again(), runs + 1)
        return andThen(settled(call, outcome, requested), (final) => withRev(final, rev))
      }
      if (!requested || isLast) return finish(false)
      return andThen(missingArrived(call, outcome, requested), (hasCome) => {
        const unnamed = hasCome ? [] : unnamedIn(call, outcome)
        if (unnamed.length === 0) return finish(hasCome)
        return andThen(nameWaits.awaited(unnamed, { requested, signal: call.signal }), finish)
      })
    }
    const handle = () => andThen(outcomeOf(handler, call), judge)
    return call.time ? call.time.part(handle) : handle()
  }

  return (call) => run(call, 1)
}

/** The PDS may add to an error answer too: a thread whose post only the PDS knows. */
function outcomeOf(handler: Answering, call: Call): MaybeLater<Outcome> {
  try {
    const result = handler(call)
    if (!(result instanceof Promise)) return { result }
    return result.then((later) => ({ result: later, isLater: true }), asOutcome)
  } catch (error) {
    return asOutcome(error)
  }
}

function asOutcome(error: unknown): Outcome {
  if (error instanceof XRPCError) return { error }
  throw error
}

/** What an answer says does not exist; undefined for any other answer. */
function emptiness(outcome: Outcome, mayBeEmpty = false): string | undefined {
  if ('error' in outcome) return outcome.error.status === 400 ? outcome.error.message : undefined
  return !mayBeEmpty && showsNothing(outcome.result) ? 'Nothing of that is here' : undefined
}

/** An answer that shows some of what was named says what else may exist. */
function withoutSome(outcome: Outcome, unknown: readonly string[]): Outcome {
  if ('error' in outcome) return outcome
  const { body, headers } = outcome.result
  return { ...outcome, result: { headers, body: { ...(body as object), notHereYet: unknown } } }
}

function withRev(outcome: Outcome, rev: string | undefined): MethodResult {
  const header = rev === undefined ? undefined : { 'atproto-repo-rev': rev }
  if ('error' in outcome) throw header ? withHeaders(outcome.error, header) : outcome.error
  const { body, headers } = outcome.result
  return header ? { body, headers: { ...headers, ...header } } : outcome.result
}
