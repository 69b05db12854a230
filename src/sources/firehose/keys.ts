// The signing keys of accounts, by the identities of this thread's resolver.

import { LruMap } from '../../base/util/lru.ts'
import type { Resolver } from '../identity/resolver.ts'
import { type VerifyingKey, verifyingKey } from '../identity/verifying-key.ts'

export type AccountKeys = {
  /** If it is known without a look-up. */
  peek(did: string): VerifyingKey | undefined
  /** undefined: it has none, or can't be looked up now. */
  get(did: string): Promise<VerifyingKey | undefined>
  /** Looks it up again, as far as the resolver's limits allow. */
  renew(did: string): Promise<VerifyingKey | undefined>
  forget(did: string): void
}

const MAX_KEYS = 50_000

export function createAccountKeys(resolver: Pick<Resolver, 'resolve' | 'doubt'>): AccountKeys {
  const keys = new LruMap<string, VerifyingKey>(MAX_KEYS)

  async function lookUp(did: string, forceRefresh: boolean): Promise<VerifyingKey | undefined> {
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

  return {
    peek: (did) => keys.get(did),
    get: async (did) => keys.get(did) ?? lookUp(did, false),
    renew: (did) => lookUp(did, true),
    forget(did) {
      keys.delete(did)
      resolver.doubt(did)
    },
  }
}
