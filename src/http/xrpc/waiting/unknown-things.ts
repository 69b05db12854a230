// What an answer lacks, and may exist all the same: accounts that no directory has denied, and records that
// were never fetched. An answer that shows nothing because of these is refused for now (up-to-date.ts).

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { allOf, andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { PostsByUri } from '../../../data/store/read/posts/posts-by-uri.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import type { Quotas } from '../../../sources/quota.ts'
import type { Call } from '../call.ts'
import { isStoredAccount, type Scope } from '../strangers/holdings.ts'
import { type LookedUpFor, lookupsFor } from '../strangers/outside-shares.ts'
import type { FetchRequests } from './fetch-requests.ts'
import type { MissingWaits } from './missing-waits.ts'

type UnknownThings = {
  /** The at-URIs and DIDs among the call's missing ones; for a visitor, all that exist. */
  among(call: Pick<Call, 'reader' | 'viewer'> & LookedUpFor): MaybeLater<string[]>
  /** Those among the accounts unknown here that their directories deny. */
  absentAmong(dids: readonly string[], by: LookedUpFor): MaybeLater<ReadonlySet<string>>
}

type Dependencies = {
  actors: Pick<ActorReader, 'uidOf' | 'flagsOf' | 'memberFollowersOf'>
  fetchRequests: Pick<FetchRequests, 'wasSent'>
  missingWaits: Pick<MissingWaits, 'areUnfetched'>
  postsByUri: PostsByUri
  resolver: Pick<Resolver, 'resolve'>
  quotas?: Quotas | undefined
  scope: Scope
}

/** Further ones count as unknown. */
const MAX_LOOKED_UP = 25

export function createUnknownThings(parts: Dependencies): UnknownThings {
  const { actors, fetchRequests, missingWaits, postsByUri, resolver, scope } = parts

  /** Of an account known here. */
  function mayArrive(uri: string, viewer: Call['viewer']): boolean {
    const key = parseRecordUri(uri)
    if (!key) return false
    const uid = actors.uidOf(key.did)
    if (postsByUri([uri]).get(uri)?.is === 'gone') return false
    if (!viewer) return !isStoredAccount(parts, uid)
    return !fetchRequests.wasSent(uri) || missingWaits.areUnfetched(new Set([uri]))
  }

  async function mayExist(did: string, by: LookedUpFor): Promise<boolean> {
    const asker = lookupsFor(parts, by)
    return resolver.resolve(did, { asker }).then(
      (identity) => identity !== undefined,
      () => true,
    )
  }

  const isStrange = (did: string) => actors.uidOf(did) === 0

  function absentAmong(dids: readonly string[], by: LookedUpFor): MaybeLater<ReadonlySet<string>> {
    const strangers = [...new Set(dids.filter(isStrange))]
    const looked = strangers.slice(0, MAX_LOOKED_UP).map((did) => mayExist(did, by))
    return andThen(
      allOf(looked),
      (exist) => new Set(strangers.filter((_, i) => exist[i] === false)),
    )
  }

  return {
    absentAmong,
    among({ reader: { missing }, viewer, who, time }) {
      if (missing.isEmpty || (!viewer && scope === 'network')) return []
      const things = [...missing.uris, ...missing.dids]
      return andThen(absentAmong(things.map(accountOf), { who, time }), (absent) =>
        things.filter((thing) => {
          const did = accountOf(thing)
          if (isStrange(did)) return !absent.has(did)
          return missing.uris.has(thing) && mayArrive(thing, viewer)
        }),
      )
    },
  }
}

function accountOf(thing: string): string {
  return parseRecordUri(thing)?.did ?? thing
}
