// Resolves the `actor` of a request, a handle or a DID, to an account. Our own index comes first; a handle
// that is not verified there is looked up and the result cached for a while, so that requests for made-up
// names cost a stranger's DNS at most one query each, and no more of them than the caller's share at the
// handle's domain.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { MaybeLater } from '../../../base/util/turn.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Accounts } from '../../../data/store/read/accounts/accounts.ts'
import { UnansweredError } from '../../../sources/identity/fetch-identity.ts'
import { registrableDomain } from '../../../sources/identity/registrable-domain.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import type { Quotas } from '../../../sources/quota.ts'
import { type LookedUpFor, takeLookup } from '../strangers/outside-shares.ts'
import { notHereYet } from '../waiting/not-here.ts'

/** `uid` is 0 for an unknown account. */
export type NamedActor = { did: string; uid: number }

type ActorNames = {
  /**
   * @returns undefined for a handle that does not resolve
   * @throws XRPCError NotHereYet if that can't be told now, 429 if it is beyond the caller's share
   */
  find(actor: string, by: LookedUpFor): MaybeLater<NamedActor | undefined>
  /** Uses only our own index. */
  known(actor: string): NamedActor | undefined
  /** Whether `find` will look up nothing. */
  isRemembered(actor: string): boolean
}

type Looked = { did: string | undefined; at: number; isUnanswered?: boolean }

const MAX_REMEMBERED = 10_000
const REMEMBERED_FOR_MS = 5 * MINUTE_MS
/** A handle that leads nowhere may be set up at any time. */
const NOBODY_FOR_MS = MINUTE_MS
/** After a name's servers gave no answer: they may be slow on purpose, or the network may be down. */
const REQUESTED_AGAIN_AFTER_MS = MINUTE_MS / 2

/** Resolves names from our own index alone. */
export function createKnownNames({
  actors,
  accounts,
}: {
  actors: ActorReader
  accounts: Accounts
}): ActorNames['known'] {
  return (actor) => {
    if (actor.startsWith('did:')) return { did: actor, uid: actors.uidOf(actor) }
    const uid = accounts.uidOfHandle(actor)
    return uid === 0 ? undefined : { did: actors.didOf(uid), uid }
  }
}

export function createActorNames(parts: {
  actors: ActorReader
  accounts: Accounts
  resolver: Pick<Resolver, 'resolveHandle'>
  quotas?: Quotas | undefined
  now?: () => number
}): ActorNames {
  const { actors, accounts, resolver, now = Date.now } = parts
  const known = createKnownNames({ actors, accounts })
  const looked = new LruMap<string, Looked>(MAX_REMEMBERED)

  function remembered(handle: string): Looked | undefined {
    const before = looked.get(handle)
    return before && now() - before.at < REMEMBERED_FOR_MS ? before : undefined
  }

  async function lookUp(handle: string, by: LookedUpFor): Promise<string | undefined> {
    const before = remembered(handle)
    if (before) return answerOf(handle, before)
    takeLookup(parts, `handles of ${registrableDomain(handle) ?? handle}`, by)
    try {
      const did = await resolver.resolveHandle(handle)
      const at = did === undefined ? now() - REMEMBERED_FOR_MS + NOBODY_FOR_MS : now()
      looked.set(handle, { did, at })
      return did
    } catch (error) {
      // Otherwise the lookup did not run.
      if (error instanceof UnansweredError) {
        const at = now() - REMEMBERED_FOR_MS + REQUESTED_AGAIN_AFTER_MS
        looked.set(handle, { did: undefined, at, isUnanswered: true })
      }
      throw notResolved(handle)
    }
  }

  async function findByFallback(handle: string, by: LookedUpFor): Promise<NamedActor | undefined> {
    const did = await lookUp(handle.toLowerCase(), by)
    return did === undefined ? undefined : { did, uid: actors.uidOf(did) }
  }

  return {
    known,
    isRemembered: (actor) => known(actor) !== undefined || !!remembered(actor.toLowerCase()),
    find: (actor, by) => known(actor) ?? findByFallback(actor, by),
  }
}

function answerOf(handle: string, { did, isUnanswered }: Looked): string | undefined {
  if (isUnanswered) throw notResolved(handle)
  return did
}

function notResolved(handle: string) {
  return notHereYet(`Whose handle ${handle} is can’t be found out now`)
}

/**
 * Finds accounts for an answer that shows those it can.
 * @returns undefined for those that do not resolve
 * @throws XRPCError NotHereYet if of none can be told now who it is, 429 likewise
 */
export async function findSome(
  names: Pick<ActorNames, 'find'>,
  actors: readonly string[],
  by: LookedUpFor,
): Promise<(NamedActor | undefined)[]> {
  const found = await Promise.allSettled(actors.map(async (actor) => names.find(actor, by)))
  const failed = found.find((result) => result.status === 'rejected')
  const isAnyFound = found.some(
    (result) => result.status === 'fulfilled' && result.value !== undefined,
  )
  if (failed && !isAnyFound) throw failed.reason
  return found.map((result) => (result.status === 'fulfilled' ? result.value : undefined))
}
