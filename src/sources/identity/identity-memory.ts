// What the resolver remembers: identities, and apart from them, for a short while, who does not exist
// or could not be reached, so that made-up DIDs push nobody out. Members' identities have a place of
// their own: anyone can make us look up twenty thousand accounts that do exist.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { Identity } from './did-document.ts'

type IdentityMemory = {
  /** At most a day old; `isStale` after an hour. */
  find(did: string): { identity: Identity; isStale: boolean; isDoubted: boolean } | undefined
  /** The last look-up's failure while it counts: an error, or none for a DID that does not exist. */
  findFailure(did: string): { error: Error | undefined } | undefined
  remember(identity: Identity): void
  /** Its document is said to have changed since it was fetched: it is good for a few minutes more, no longer. */
  doubt(did: string): void
  /** Forgets the identity too. */
  rememberMissing(did: string): void
  rememberError(did: string, error: Error): void
}

type Known = { identity: Identity; fetchedAt: number; doubtedAt?: number }
type Failed = { error: Error | undefined; until: number }

const STALE_AFTER_MS = HOUR_MS
const MAX_AGE_MS = DAY_MS
/** For as long a directory that is away is waited for where a document is said to have changed. */
const DOUBTED_MAX_AGE_MS = 5 * MINUTE_MS
const MISSING_FOR_MS = 30 * 1000
const UNAVAILABLE_FOR_MS = 5 * 1000
const MAX_KNOWN = 20_000
const MAX_FAILED = 10_000

export function createIdentityMemory(
  now: () => number,
  isMember: (did: string) => boolean,
): IdentityMemory {
  const members = new LruMap<string, Known>(MAX_KNOWN)
  const strangers = new LruMap<string, Known>(MAX_KNOWN)
  const failed = new LruMap<string, Failed>(MAX_FAILED)

  /** Who has become a member since moves over. */
  function recall(did: string): Known | undefined {
    const stranger = strangers.get(did)
    if (!stranger || !isMember(did)) return stranger ?? members.get(did)
    strangers.delete(did)
    members.set(did, stranger)
    return stranger
  }

  function forget(did: string): void {
    members.delete(did)
    strangers.delete(did)
  }

  return {
    find(did) {
      const found = recall(did)
      if (!found || now() - found.fetchedAt >= MAX_AGE_MS) return undefined
      const { identity, fetchedAt, doubtedAt } = found
      const isDoubted = doubtedAt !== undefined
      if (isDoubted && now() - doubtedAt >= DOUBTED_MAX_AGE_MS) return undefined
      return { identity, isStale: isDoubted || now() - fetchedAt > STALE_AFTER_MS, isDoubted }
    },
    findFailure(did) {
      const failure = failed.get(did)
      return failure && now() < failure.until ? failure : undefined
    },
    remember(identity) {
      const { did } = identity
      forget(did)
      const place = isMember(did) ? members : strangers
      place.set(did, { identity, fetchedAt: now() })
      failed.delete(did)
    },
    doubt(did) {
      const found = recall(did)
      if (found) found.doubtedAt ??= now()
      else failed.delete(did)
    },
    rememberMissing(did) {
      forget(did)
      failed.set(did, { error: undefined, until: now() + MISSING_FOR_MS })
    },
    rememberError(did, error) {
      failed.set(did, { error, until: now() + UNAVAILABLE_FOR_MS })
    },
  }
}
