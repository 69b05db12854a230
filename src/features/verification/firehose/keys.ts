// The signing keys of accounts, by the identities of this thread's resolver. Where everybody's are needed, those
// of strangers are looked up within a budget, and none is waited for longer than the stream can bear.

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

type StrangersKeys = {
  isStranger: (did: string) => boolean
  /** Look-ups a minute for all strangers together. */
  perMinute: number
  now?: () => number
}

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
): AccountKeys {
  const keys = new LruMap<string, VerifyingKey>(strangers ? MAX_KEYS_OF_ALL : MAX_KEYS)
  const running = new Map<string, Promise<VerifyingKey | undefined>>()
  const mayLookUp = strangers ? createBudget(strangers) : () => true
  const patienceMs = (did: string) => (strangers?.isStranger(did) ? PATIENCE_MS : undefined)

  async function resolve(did: string, forceRefresh: boolean): Promise<VerifyingKey | undefined> {
    try {
      const identity = await resolver.resolve(did, { forceRefresh })
      if (!identity?.signingKey) return undefined
      const key = verifyingKey(identity.signingKey)
      keys.set(did, key)
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

  /** One look-up for all frames of an account that arrived together. */
  function getOnce(did: string): Promise<VerifyingKey | undefined> {
    const before = running.get(did)
    if (before) return before
    const work = lookUp(did, false).finally(() => running.delete(did))
    running.set(did, work)
    return work
  }

  return {
    peek: (did) => keys.get(did),
    get: async (did) => keys.get(did) ?? getOnce(did),
    renew: (did) => lookUp(did, true),
    forget(did) {
      keys.delete(did)
      resolver.doubt(did)
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
