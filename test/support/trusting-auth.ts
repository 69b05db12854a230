// Service auth for tests that are not about tokens: a token is the DID of its owner. `<did>~<anything>` is one
// that is addressed to another service.

import type { ServiceAuth } from '../../src/sources/identity/service-jwt.ts'

export const trustingAuth: ServiceAuth = {
  async verify(token) {
    const [did, elsewhere] = token.split('~') as [string, string | undefined]
    const isAddressedToUs = elsewhere === undefined
    const expiresAt = Date.now() + 60_000
    return { did, service: undefined, isForUs: isAddressedToUs, isAddressedToUs, expiresAt }
  },
}
