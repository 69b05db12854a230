// The registered domain of a did:web account. All names under one count as one, since they cost nothing.

import { registrableDomain } from '../../sources/identity/registrable-domain.ts'

const WEB = 'did:web:'

/** Undefined for accounts of other methods. */
export function webDomainOf(did: string): string | undefined {
  if (!did.startsWith(WEB)) return undefined
  const [name = ''] = did.slice(WEB.length).split(':')
  const [host = ''] = decodeURIComponent(name).split(':')
  return registrableDomain(host)
}
