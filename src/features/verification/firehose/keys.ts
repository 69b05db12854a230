// The signing keys of accounts, by the identities of this thread's resolver. Where everybody's are needed, those
// of strangers are looked up within a budget, and none is waited for longer than the stream can bear. Keys from before a
// restart count at once, and are looked up again when they are first used, within the same budget.

import { MINUTE_MS, SECOND_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import { within } from '../../../base/util/waits.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import { type VerifyingKey, verifyingKey } from '../../../sources/identity/verifying-key.ts'

export type AccountKeys = {
  /** If it is known without a look-up. */
  peek(did: string): VerifyingKey | undefined
  /** undefined: it has none, or can't be looked up now. */
  get(did: string): Promise<VerifyingKey | undefined>
  /** Looks it up again, as far as the resolver's limits allow. */
  renew(did: string): Promise<VerifyingKey | undefined>
  forget(did: string): void
}

export type StoredKeys = AccountKeys & {
  /** What is known, to be kept over a restart: did:keys by DID. */
  all(): [did: string, key: string][]
}

type StrangersKeys = {
  isStranger: (did: string) => boolean
  /** Look-ups a minute for all strangers together. */
  perMinute: number
  now?: () => number
  /** From before a restart: did:keys by DID. */
  cache?: Map<string, string>
}

type Known = { text: string; key: VerifyingKey }

const MAX_KEYS = 50_000
/** Some 300 bytes each. */
const MAX_KEYS_OF_ALL = 200_000
const MAX_FAILED = 50_000
/** From the frame's arrival on; many look-ups run at once. */
const PATIENCE_MS = 2 * SECOND_MS
/** Before a stranger's key is looked up again that could not be had. */
const AGAIN_MS = MINUTE_MS

/** @param strangers - the limits of their look-ups; without them, only keys of few accounts are asked for */
export function createAccountKeys(
  resolver: Pick<Resolver, 'resolve' | 'doubt'>,
  strangers?: StrangersKeys,
): StoredKeys {
  const keys = new LruMap<string, Known>(strangers ? MAX_KEYS_OF_ALL : MAX_KEYS)
  const cache = strangers?.cache ?? new Map<string, string>()
  /** Kept ones that were used, but not looked up since. */
  const unchecked = new Set<string>()
  const running = new Map<string, Promise<VerifyingKey | undefined>>()
  const mayLookUp = strangers ? createBudget(strangers) : () => true
  const patienceMs = (did: string) => (strangers?.isStranger(did) ? PATIENCE_MS : undefined)

  async function resolve(did: string, forceRefresh: boolean): Promise<VerifyingKey | undefined> {
    try {
      const identity = await resolver.resolve(did, { forceRefresh })
      if (!identity?.signingKey) return undefined
      const text = identity.signingKey
      const key = verifyingKey(text)
      keys.set(did, { text, key })
      return key
    } catch {
      // The directory is away, or the key is no point on its curve: either way, nothing can be verified now.
      return undefined
    }
  }

  async function lookUp(did: string, forceRefresh: boolean): Promise<VerifyingKey | undefined> {
    if (!mayLookUp(did)) return undefined
    const work = resolve(did, forceRefresh)
    const ms = patienceMs(did)
    return ms === undefined ? work : within(ms, work)
  }

  /** Known from now on. */
  function takeStored(did: string): VerifyingKey | undefined {
    const text = cache.get(did)
    if (text === undefined) return undefined
    cache.delete(did)
    try {
      const key = verifyingKey(text)
      keys.set(did, { text, key })
      unchecked.add(did)
      return key
    } catch {
      return undefined
    }
  }

  function recheck(did: string): void {
    if (!mayLookUp(did)) return
    unchecked.delete(did)
    void resolve(did, false)
  }

  function peek(did: string): VerifyingKey | undefined {
    const key = keys.get(did)?.key ?? takeStored(did)
    if (unchecked.size > 0 && unchecked.has(did)) recheck(did)
    return key
  }

  /** One look-up for all frames of an account that arrived together. */
  function getOnce(did: string): Promise<VerifyingKey | undefined> {
    const before = running.get(did)
    if (before) return before
    const work = lookUp(did, false).finally(() => running.delete(did))
    running.set(did, work)
    return work
  }

  return {
    peek,
    get: async (did) => peek(did) ?? getOnce(did),
    renew: (did) => lookUp(did, true),
    forget(did) {
      keys.delete(did)
      cache.delete(did)
      resolver.doubt(did)
    },
    all() {
      const known = [...keys.entries()].map(([did, { text }]): [string, string] => [did, text])
      return [...cache, ...known].slice(-MAX_KEYS_OF_ALL)
    },
  }
}

/** Whether a look-up may begin: for strangers only so many a minute, and each not again soon. */
function createBudget({ isStranger, perMinute, now = Date.now }: StrangersKeys) {
  const begunAt = new LruMap<string, number>(MAX_FAILED)
  let left = perMinute
  let at = now()
  return (did: string): boolean => {
    if (!isStranger(did)) return true
    left = Math.min(perMinute, left + ((now() - at) * perMinute) / MINUTE_MS)
    at = now()
    if (left < 1 || now() - (begunAt.get(did) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return false
    left--
    begunAt.set(did, now())
    return true
  }
}
