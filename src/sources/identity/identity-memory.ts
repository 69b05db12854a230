// The resolver's memory: identities and, separately and for a short while, DIDs that do not exist or could
// not be resolved, so that made-up DIDs evict nothing. Members' identities have a separate cache, since
// anyone can make us look up twenty thousand existing accounts. They are also kept outside this process; what
// an earlier process or another thread kept is restored unless a later result is known here.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { Identity } from './did-document.ts'

type IdentityMemory = {
  /** Returns identities at most a day old. */
  find(did: string): { identity: Identity; trust: Trust } | undefined
  /** The last lookup's failure while it counts: an error, or none for a DID that does not exist. */
  findFailure(did: string): { error: Error | undefined } | undefined
  /** `asOf`: when the lookup began. */
  remember(identity: Identity, asOf: number): void
  /**
   * The document may have changed since it was fetched: the cached one is used for a few more
   * minutes at most.
   */
  doubt(did: string): void
  /** Forgets the identity too. */
  rememberMissing(did: string, asOf: number): void
  rememberError(did: string, error: Error): void
  /** The lookup of a restored identity got no answer in time: trusts it until one succeeds. */
  settleFor(did: string): void
}

/** `stale`: renew in the background; `doubted`, `restored`: look up before trusting it. */
type Trust = 'fresh' | 'stale' | 'doubted' | 'restored'

/** Members' identities outside this process. */
export type CachedIdentities = {
  find(did: string): { identity: Identity; asOf: number } | undefined
  /** Without an identity, everything from earlier lookups becomes invalid. */
  put(did: string, found: { identity: Identity | undefined; asOf: number }): void
}

type Known = {
  /** Undefined for a member that the directory did not know: the kept identity may be older. */
  identity: Identity | undefined
  asOf: number
  doubtedAt?: number
  /** Whether a lookup was already tried. */
  restored?: 'unasked' | 'asked'
}
type Failed = { error: Error | undefined; until: number }

type Dependencies = {
  now: () => number
  isMember: (did: string) => boolean
  identities?: CachedIdentities | undefined
}

const STALE_AFTER_MS = HOUR_MS
/** As in @atproto/identity's caches, regardless of restarts. */
const MAX_AGE_MS = DAY_MS
/** How long a possibly outdated document is used while its directory is down. */
const DOUBTED_MAX_AGE_MS = 5 * MINUTE_MS
const MISSING_FOR_MS = 30 * 1000
const UNAVAILABLE_FOR_MS = 5 * 1000
const MAX_KNOWN = 20_000
const MAX_FAILED = 10_000

export function createIdentityMemory({ now, isMember, identities }: Dependencies): IdentityMemory {
  const members = new LruMap<string, Known>(MAX_KNOWN)
  const strangers = new LruMap<string, Known>(MAX_KNOWN)
  const failed = new LruMap<string, Failed>(MAX_FAILED)
  const { isGood, trustIn } = createJudgement(now)

  /** Moves accounts that have become members since. */
  function inMemory(did: string): Known | undefined {
    const stranger = strangers.get(did)
    if (!stranger || !isMember(did)) return stranger ?? members.get(did)
    strangers.delete(did)
    members.set(did, stranger)
    if (stranger.doubtedAt === undefined) identities?.put(did, stranger)
    return stranger
  }

  function recall(did: string): Known | undefined {
    const known = inMemory(did)
    if ((known && isGood(known)) || !identities || !isMember(did)) return known
    const found = identities.find(did)
    if (!found || found.asOf <= Math.max(known?.asOf ?? 0, known?.doubtedAt ?? 0)) return known
    const restored: Known = { ...found, restored: 'unasked' }
    members.set(did, restored)
    return restored
  }

  function put(did: string, known: Known): void {
    strangers.delete(did)
    members.delete(did)
    if (isMember(did)) {
      members.set(did, known)
      identities?.put(did, known)
    } else if (known.identity) strangers.set(did, known)
  }

  function settleFor(did: string): void {
    const known = members.get(did)
    if (known?.restored) known.restored = 'asked'
  }

  return {
    settleFor,
    find(did) {
      const known = recall(did)
      if (!known?.identity || !isGood(known)) return undefined
      return { identity: known.identity, trust: trustIn(known) }
    },
    findFailure(did) {
      const failure = failed.get(did)
      return failure && now() < failure.until ? failure : undefined
    },
    remember(identity, asOf) {
      put(identity.did, { identity, asOf })
      failed.delete(identity.did)
    },
    doubt(did) {
      const known = recall(did)
      if (known) known.doubtedAt ??= now()
      if (!known?.identity) failed.delete(did)
    },
    rememberMissing(did, asOf) {
      put(did, { identity: undefined, asOf })
      failed.set(did, { error: undefined, until: now() + MISSING_FOR_MS })
    },
    rememberError(did, error) {
      failed.set(did, { error, until: now() + UNAVAILABLE_FOR_MS })
      settleFor(did)
    },
  }
}

/** Which entries are still valid, and how far they are trusted. */
function createJudgement(now: () => number) {
  /** Absolute, in case the clock was ahead at the lookup. */
  const ageOf = ({ asOf }: Known) => Math.abs(now() - asOf)
  return {
    isGood(known: Known): boolean {
      const { identity, doubtedAt } = known
      if (doubtedAt !== undefined && now() - doubtedAt >= DOUBTED_MAX_AGE_MS) return false
      return identity !== undefined && ageOf(known) < MAX_AGE_MS
    },
    trustIn(known: Known): Trust {
      if (known.doubtedAt !== undefined) return 'doubted'
      if (known.restored === 'unasked') return 'restored'
      return known.restored || ageOf(known) > STALE_AFTER_MS ? 'stale' : 'fresh'
    },
  }
}
