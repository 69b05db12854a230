// Resolves the `actor` of a request, a handle or a DID, to an account. Our own index comes first; a handle
// that is not verified there is looked up and the result cached for a while, so that requests for made-up
// names cost a stranger's DNS at most one query each.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Accounts } from '../../data/store/read/accounts.ts'
import { UnansweredError } from '../../sources/identity/fetch-identity.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { MaybeLater } from './maybe-later.ts'

/** `uid` is 0 for an unknown account. */
export type NamedActor = { did: string; uid: number }

type ActorNames = {
  /** @returns undefined for a handle that does not resolve */
  find(actor: string): MaybeLater<NamedActor | undefined>
  /** Uses only our own index. */
  known(actor: string): NamedActor | undefined
}

type Looked = { did: string | undefined; at: number }

const MAX_REMEMBERED = 10_000
const REMEMBERED_FOR_MS = 5 * MINUTE_MS
/** After a name's servers gave no answer: they may be slow on purpose, or the network may be down. */
const ASKED_AGAIN_AFTER_MS = MINUTE_MS / 2

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
  now?: () => number
}): ActorNames {
  const { actors, accounts, resolver, now = Date.now } = parts
  const known = createKnownNames({ actors, accounts })
  const looked = new LruMap<string, Looked>(MAX_REMEMBERED)

  async function lookUp(handle: string): Promise<string | undefined> {
    const before = looked.get(handle)
    if (before && now() - before.at < REMEMBERED_FOR_MS) return before.did
    try {
      const did = await resolver.resolveHandle(handle)
      looked.set(handle, { did, at: now() })
      return did
    } catch (error) {
      // Otherwise the lookup did not run.
      if (error instanceof UnansweredError) {
        looked.set(handle, { did: undefined, at: now() - REMEMBERED_FOR_MS + ASKED_AGAIN_AFTER_MS })
      }
      return undefined
    }
  }

  async function findByFallback(handle: string): Promise<NamedActor | undefined> {
    const did = await lookUp(handle.toLowerCase())
    return did === undefined ? undefined : { did, uid: actors.uidOf(did) }
  }

  return {
    known,
    find: (actor) => known(actor) ?? findByFallback(actor),
  }
}
