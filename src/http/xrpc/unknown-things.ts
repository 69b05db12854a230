// What an answer lacks, and may exist all the same: accounts that no directory has denied, and records that
// were never fetched. An answer that shows nothing because of these is refused for now (up-to-date.ts).

import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Records } from '../../data/store/read/records-by-key.ts'
import type { Scope } from '../../sources/appview/coverage.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { Quotas } from '../../sources/quota.ts'
import { isStoredAccount } from '../fallback/holdings.ts'
import type { Call } from './call.ts'
import type { FetchRequests } from './fetch-requests.ts'
import { allOf, andThen, type MaybeLater } from './maybe-later.ts'
import type { MissingWaits } from './missing-waits.ts'
import { lookupsFor } from './outside-shares.ts'

type UnknownThings = {
  /** The at-URIs and DIDs among the call's missing ones; for a visitor, all that exist. */
  among(call: Pick<Call, 'reader' | 'viewer' | 'who'>): MaybeLater<string[]>
}

type Parts = {
  actors: Pick<ActorReader, 'uidOf' | 'flagsOf' | 'memberFollowersOf'>
  fetchRequests: Pick<FetchRequests, 'wasSent'>
  missingWaits: Pick<MissingWaits, 'areUnfetched'>
  records: Pick<Records, 'find'>
  resolver: Pick<Resolver, 'resolve'>
  quotas?: Quotas | undefined
  scope: Scope
}

/** Further ones count as unknown. */
const MAX_LOOKED_UP = 25

export function createUnknownThings(parts: Parts): UnknownThings {
  const { actors, fetchRequests, missingWaits, records, resolver, scope } = parts

  /** Of an account known here. */
  function mayArrive(uri: string, viewer: Call['viewer']): boolean {
    const key = parseRecordUri(uri)
    if (!key) return false
    const uid = actors.uidOf(key.did)
    if (records.find({ ...key, uid }) === 'gone') return false
    if (!viewer) return !isStoredAccount(parts, uid)
    return !fetchRequests.wasSent(uri) || missingWaits.areUnfetched(new Set([uri]))
  }

  async function mayExist(did: string, who: Call['who']): Promise<boolean> {
    const asker = lookupsFor(parts, who)
    return resolver.resolve(did, { asker }).then(
      (identity) => identity !== undefined,
      () => true,
    )
  }

  return {
    among({ reader: { missing }, viewer, who }) {
      if (missing.isEmpty || (!viewer && scope === 'network')) return []
      const things = [...missing.uris, ...missing.dids]
      const isStrange = (thing: string) => actors.uidOf(accountOf(thing)) === 0
      const strangers = [...new Set(things.filter(isStrange).map(accountOf))]
      const looked = strangers.slice(0, MAX_LOOKED_UP).map((did) => mayExist(did, who))
      return andThen(allOf(looked), (exist) => {
        const absent = new Set(strangers.filter((_, i) => exist[i] === false))
        return things.filter((thing) => {
          if (isStrange(thing)) return !absent.has(accountOf(thing))
          return missing.uris.has(thing) && mayArrive(thing, viewer)
        })
      })
    },
  }
}

function accountOf(thing: string): string {
  return parseRecordUri(thing)?.did ?? thing
}
