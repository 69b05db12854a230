// The one place that runs a handler, and runs it again if the viewer's rev moved while the answer was made
// (repo-rev.ts), or if missing names have arrived meanwhile (name-waits.ts). After each run it requests the
// records that the answer lacks.

import { withHeaders, XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { MethodResult } from '../server/method.ts'
import type { Call } from './call.ts'
import type { MethodDefinition, Needs } from './define.ts'
import { andThen, type MaybeLater } from './maybe-later.ts'

export type Answering = (call: Call) => MaybeLater<MethodResult>

type Parts = Needs<'fetchRequests' | 'nameWaits' | 'publishedRev'>
/** `isLater`: the handler waited for others, and so for names itself. */
type Outcome = ({ result: MethodResult } | { error: XRPCError }) & { isLater?: boolean }

const MAX_RUNS = 4

export function upToDate(
  { fetchRequests, nameWaits, publishedRev }: Parts,
  { kind, readAfterWrite, waitsForNames = true }: MethodDefinition,
  handler: Answering,
): Answering {
  const waits = kind === 'query' && waitsForNames
  const revOf = (call: Call) => (readAfterWrite ? publishedRev(call.viewer?.did) : undefined)

  function unnamedIn(call: Call, outcome: Outcome): number[] {
    const mayWait = waits && call.viewer && 'result' in outcome && !outcome.isLater
    return mayWait ? nameWaits.unnamed(call.reader.missing.dids) : []
  }

  function run(call: Call, runs: number): MaybeLater<MethodResult> {
    const rev = revOf(call)
    const judge = (outcome: Outcome): MaybeLater<MethodResult> => {
      const { missing } = call.reader
      const asked = missing.isEmpty ? undefined : fetchRequests.ask(call.viewer, missing)
      const isLast = runs === MAX_RUNS
      const unnamed = isLast || !asked ? [] : unnamedIn(call, outcome)
      const finish = (hasCome: boolean) => {
        const isOvertaken = hasCome || revOf(call) !== rev
        return isOvertaken && !isLast ? run(call.again(), runs + 1) : withRev(outcome, rev)
      }
      if (!asked || unnamed.length === 0) return finish(false)
      return andThen(nameWaits.awaited(unnamed, { asked, signal: call.signal }), finish)
    }
    const handle = () => andThen(outcomeOf(handler, call), judge)
    return call.time ? call.time.run(handle) : handle()
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

function withRev(outcome: Outcome, rev: string | undefined): MethodResult {
  const header = rev === undefined ? undefined : { 'atproto-repo-rev': rev }
  if ('error' in outcome) throw header ? withHeaders(outcome.error, header) : outcome.error
  const { body, headers } = outcome.result
  return header ? { body, headers: { ...headers, ...header } } : outcome.result
}
