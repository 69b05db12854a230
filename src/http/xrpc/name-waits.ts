// Accounts whose name nobody has verified yet, on any page: who is known only from the stream is looked up
// when a member first sees them (fetch-requests.ts), and the page waits for that a short moment, once for each
// account, and is then made again. What is not known by then is shown without a name, never with one that
// an account only claims to have.

import { LruMap } from '../../base/util/lru.ts'
import type { Method, MethodContext, MethodResult } from '../server/method.ts'
import type { MaybeLater } from './actor-names.ts'
import { type AppContext, viewerOf } from './app-context.ts'
import { createWaits } from './waits.ts'
import { whenAsked } from './when-asked.ts'

type Parts = Pick<AppContext, 'actors' | 'underWay' | 'fetchRequests'>

const MAX_REMEMBERED = 50_000
const LOOKED_AGAIN_AFTER_MS = 10 * 60 * 1000
/** Directory or DNS are out of reach, then. */
const MAX_IN_VAIN = 4
/** Whoever types does not wait. */
const WITHOUT = new Set(['app.bsky.actor.searchActorsTypeahead'])

/** @param maxWaitMs - 0: never waits */
export function createNameWaits(
  { actors, underWay, fetchRequests }: Parts,
  { maxWaitMs, now = Date.now }: { maxWaitMs: number; now?: () => number },
): (method: Method) => Method {
  const waits = createWaits({ now, maxInVain: MAX_IN_VAIN })
  const looked = new LruMap<string, number>(MAX_REMEMBERED)

  /** Who of these was never looked up; of each account it is asked once in a while. */
  function unnamed(dids: ReadonlySet<string>): number[] {
    const at = now()
    const fresh: number[] = []
    for (const did of dids) {
      if (at - (looked.get(did) ?? -Infinity) < LOOKED_AGAIN_AFTER_MS) continue
      looked.set(did, at)
      const uid = actors.uidOf(did)
      if (uid !== 0) fresh.push(uid)
    }
    return fresh.length === 0 ? fresh : underWay.neverLookedUp(fresh)
  }

  async function again(
    method: Method,
    context: MethodContext,
    { result, uids }: { result: MethodResult; uids: number[] },
  ): Promise<MethodResult> {
    const dids = uids.map((uid) => actors.didOf(uid))
    const asked = fetchRequests.ask(viewerOf(actors, context.viewer), { dids })
    await waits.awaited(dids, {
      isThere: () => underWay.neverLookedUp(uids).length === 0,
      isOver: whenAsked(asked, () => underWay.accounts(uids)),
      signal: context.signal,
      maxWaitMs,
    })
    const hasCome = underWay.neverLookedUp(uids).length < uids.length
    return hasCome ? method.handler(context) : result
  }

  return (method) => {
    if (maxWaitMs === 0 || method.kind !== 'query' || WITHOUT.has(method.nsid)) return method
    const handler = (context: MethodContext): MaybeLater<MethodResult> => {
      if (context.viewer === undefined) return method.handler(context)
      const { result, dids } = fetchRequests.watching(() => method.handler(context))
      // What waits for others waits for names itself.
      if (result instanceof Promise || dids.size === 0) return result
      const uids = unnamed(dids)
      return uids.length === 0 ? result : again(method, context, { result, uids })
    }
    return { ...method, handler }
  }
}
