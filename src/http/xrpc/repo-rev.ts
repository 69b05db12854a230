// `atproto-repo-rev`: up to which commit of the viewer's repository an answer knows it. The viewer's PDS
// adds to the answer what they wrote after it: by an older rev than the body's it adds what is there
// already, by a newer one it leaves out what is not. So body and rev must be of one moment, while the
// writer goes on writing: the rev is read before and after the body, and where it moved the answer is
// made again. And a rev in a row may be ahead of the timelines in memory by a moment, which is waited
// for: only by a member who has just written, since what was settled once stays so.

import { withHeaders, XRPCError } from '../../base/atproto/xrpc-error.ts'
import { LruMap } from '../../base/util/lru.ts'
import { awaitPublished } from '../../data/shared-memory/publishing.ts'
import type { Method, MethodContext, MethodResult } from '../server/method.ts'
import type { AppContext } from './app-context.ts'

type MaybeLater<T> = T | Promise<T>
type Parts = Pick<AppContext, 'accounts' | 'actors'> & {
  invalidations: SharedArrayBuffer | undefined
}

const TRIES = 4
const MAX_WAIT_MS = 50
const MAX_REMEMBERED = 10_000

/** For methods whose answers a PDS adds to. */
export function createAtOneRev(parts: Parts): (method: Method) => Method {
  const publishedRev = createPublishedRev(parts)
  return (method) => {
    if (!method.readAfterWrite) return method

    function attempt(context: MethodContext, tries: number): MaybeLater<MethodResult> {
      const before = publishedRev(context.viewer)
      const finished = (outcome: Outcome) => {
        const hasMoved = publishedRev(context.viewer) !== before
        return hasMoved && tries > 1 ? attempt(context, tries - 1) : finish(outcome, before)
      }
      const outcome = outcomeOf(method, context)
      return outcome instanceof Promise ? outcome.then(finished) : finished(outcome)
    }

    return { ...method, handler: (context) => attempt(context, TRIES) }
  }
}

function createPublishedRev({ accounts, actors, invalidations }: Parts) {
  const ints = invalidations && new Int32Array(invalidations)
  const settled = new LruMap<number, string>(MAX_REMEMBERED)
  return (viewer: string | undefined): string | undefined => {
    const uid = viewer === undefined ? 0 : actors.uidOf(viewer)
    const rev = uid === 0 ? undefined : accounts.revOf(uid)
    if (rev === undefined || settled.get(uid) === rev) return rev
    // The older one then: what memory does not have yet is added by the PDS.
    if (ints && !awaitPublished(ints, MAX_WAIT_MS)) return settled.get(uid)
    settled.set(uid, rev)
    return rev
  }
}

type Outcome = { result: MethodResult } | { error: XRPCError }

/** An error that is an answer may be one to add to: a thread whose post the PDS alone knows. */
function outcomeOf(method: Method, context: MethodContext): MaybeLater<Outcome> {
  try {
    const result = method.handler(context)
    if (!(result instanceof Promise)) return { result }
    return result.then((later) => ({ result: later }), asOutcome)
  } catch (error) {
    return asOutcome(error)
  }
}

function asOutcome(error: unknown): Outcome {
  if (error instanceof XRPCError) return { error }
  throw error
}

function finish(outcome: Outcome, rev: string | undefined): MethodResult {
  const header = rev === undefined ? undefined : { 'atproto-repo-rev': rev }
  if ('result' in outcome) {
    const { body, headers } = outcome.result
    return { body, headers: { ...headers, ...header } }
  }
  throw header ? withHeaders(outcome.error, header) : outcome.error
}
